import { readFileSync } from 'node:fs';

/** State of an established connection in /proc/net/tcp. */
const ESTABLISHED = '01';

/** Local ports of the connections that are established to `port` on this machine, over IPv4 (Linux). */
export function connectionsTo(port: number): readonly number[] {
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/u);
    return state === ESTABLISHED && portOf(remote) === port ? [portOf(local)] : [];
  });
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
