import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Target } from './target.ts';

/** Something that goes wrong between a process and the fuzz. */
export interface Sabotage {
  readonly name: string;
  /** What the fuzz has to say about it. */
  readonly told: RegExp;
  /** Looks at a request on its way; a text goes into the log. */
  readonly log?: (request: string) => string | undefined;
  /** Puts another answer in place of one; undefined swallows it. `request` is what came last on the connection. */
  readonly answer?: (answer: string, request: string) => string | undefined;
  /** What happens to a connection when a client asks, or leaves. */
  readonly onRequest?: 'cut' | 'kill the process';
  readonly onLeave?: 'keep the connection';
}

/** So many chances pass before the first one is taken. */
const CHANCES_PASSED = 20;

/** Puts a proxy with a bad habit in front of a process. */
export async function sabotageTarget(target: Target, sabotage: Sabotage): Promise<Target> {
  const saboteur = new Saboteur(target, sabotage);
  const port = await saboteur.listen();
  const process = { ...target.process, port, stderr: () => target.process.stderr() + saboteur.log };
  return {
    ...target,
    process,
    close: async () => {
      saboteur.close();
      await target.close();
    },
  };
}

class Saboteur {
  /** What the process is said to have logged. */
  log = '';
  readonly #target: Target;
  readonly #sabotage: Sabotage;
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#relay(socket));
  readonly #sockets = new Set<Socket>();
  #chances = 0;

  constructor(target: Target, sabotage: Sabotage) {
    this.#target = target;
    this.#sabotage = sabotage;
  }

  async listen(): Promise<number> {
    this.#server.listen(0);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Whether the bad habit breaks through, this once. */
  #isTaken(): boolean {
    this.#chances += 1;
    return this.#chances === CHANCES_PASSED;
  }

  #relay(near: Socket): void {
    const far = connect({ port: this.#target.process.port, host: '127.0.0.1', allowHalfOpen: true });
    let request = '';
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('end', () => this.#leave(one, near) || other.end());
      // Its end is passed on; what the reason was does not matter here.
      one.on('error', () => one.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        if (!this.#leave(one, near)) other.destroy();
      });
    }
    near.on('data', (chunk: Buffer) => {
      request = chunk.toString('latin1');
      this.#ask(near, request);
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      const answer = this.#change(chunk.toString('latin1'), request);
      if (answer !== undefined) near.write(answer, 'latin1');
    });
  }

  /** Whether a client that leaves is kept from the process. */
  #leave(one: Socket, near: Socket): boolean {
    return one === near && this.#sabotage.onLeave === 'keep the connection';
  }

  #ask(near: Socket, request: string): void {
    const { log, onRequest } = this.#sabotage;
    const line = log?.(request);
    if (line !== undefined && this.#isTaken()) this.log += `{"level":"info","msg":"${line}"}\n`;
    if (onRequest === undefined || !this.#isTaken()) return;
    if (onRequest === 'cut') near.destroy();
    else this.#target.process.kill('SIGKILL');
  }

  #change(answer: string, request: string): string | undefined {
    const changed = this.#sabotage.answer === undefined ? answer : this.#sabotage.answer(answer, request);
    return changed === answer || !this.#isTaken() ? answer : changed;
  }
}
