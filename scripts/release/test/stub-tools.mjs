// Stands in for docker, cosign, npm and gh: answers as told, and keeps what it was asked.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../../run/workspace.mjs';

const STUB = `
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const call = process.argv.slice(2).join(' ');
appendFileSync(join(__dirname, 'calls'), call + '\\n');
const answers = JSON.parse(readFileSync(join(__dirname, 'answers.json'), 'utf8'));
const answer = answers.find(({ to }) => call.startsWith(to)) ?? { code: 97, stderr: 'no answer to: ' + call };
process.stdout.write(answer.stdout ?? '');
process.stderr.write(answer.stderr ?? '');
process.exitCode = answer.code ?? 0;
`;

/** A first line could not name a program whose path has a space in it. */
function launcher(folder, name) {
  return `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'stub.cjs')}' '${name}' "$@"\n`;
}

/** A folder with stand-ins for tools; `answers` is a list of `{ to, stdout, stderr, code }`, the first that fits. */
export function stubTools(names, answers) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-stub-'));
  for (const name of names) {
    writeFileSync(join(folder, name), launcher(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, 'stub.cjs'), STUB);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify(answers));
  const log = join(folder, 'calls');
  return {
    folder,
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a script of scripts/release as a workflow does; resolves to `{ code, text, outputs }`. */
export async function runScript(name, env, tools) {
  const folder = mkdtempSync(join(tmpdir(), 'openchamber-step-'));
  const outputFile = join(folder, 'output');
  const path = [...(tools ? [tools.folder] : []), process.env.PATH].join(delimiter);
  try {
    const child = spawn(process.execPath, [join(root, 'scripts', 'release', name)], {
      cwd: folder,
      env: { PATH: path, HOME: process.env.HOME, GITHUB_OUTPUT: outputFile, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, text, outputs: readOutputs(outputFile) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOutputs(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
