import { readSystemdEnvironment, SYSTEMD_VARIABLES } from '../systemd/environment.ts';
import { planCommand } from './plan-command.ts';
import type { Invocation } from './plan-command.ts';
import type { Program, ServePlan } from './program.ts';
import { reportFailure } from './startup-report.ts';
import type { Output } from './startup-report.ts';

const output: Output = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
};

/** Runs one invocation of a command; the process ends by itself or through a signal. */
export async function runCommand<Option extends string, Config>(
  program: Program<Option, Config>,
  invocation: Invocation,
): Promise<void> {
  surviveClosedPipes();
  const plan = planCommand(program, invocation);
  switch (plan.action) {
    case 'print':
      output.stdout(plan.text);
      break;
    case 'refuse':
      reportFailure(output, plan.style, plan.problem);
      process.exitCode = 1;
      break;
    case 'serve':
      await serve(program, plan, invocation);
      break;
  }
}

async function serve<Option extends string, Config>(
  program: Program<Option, Config>,
  plan: ServePlan<Config>,
  { env }: Invocation,
): Promise<void> {
  const systemd = readSystemdEnvironment(env, process.pid);
  for (const name of SYSTEMD_VARIABLES) delete process.env[name];
  if (typeof systemd === 'string') {
    reportFailure(output, plan.style, systemd);
    process.exitCode = 1;
    return;
  }
  await program.serve(plan, { env, output, systemd });
}

/**
 * `openchamber-relay | head -1` closes our stdout while we run: what these two streams cannot write is lost, and
 * the process goes on. The log has a writer of its own, which looks after itself in the same way.
 */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      // Nothing to do and nowhere to report to: the stream that failed is where we would have told.
    });
  }
}
