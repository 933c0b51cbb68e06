import { RawSocket } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import { createRelayServer, type RelayServer, type RelayServerOptions } from '../../src/index.ts';

/** A relay that listens, and how to reach it; ends with the current test. */
export async function start(
  options: RelayServerOptions = {},
): Promise<{ relay: RelayServer; url: string; connect: () => Promise<RawSocket> }> {
  const relay = createRelayServer({ port: 0, ...options });
  await relay.start();
  onTestFinished(() => relay.close());
  const { port } = relay.address();
  const connect = async (): Promise<RawSocket> => {
    const raw = await RawSocket.connect({ port });
    onTestFinished(() => raw.destroy());
    return raw;
  };
  return { relay, url: `ws://127.0.0.1:${port}/ws`, connect };
}

/** A plain GET; `headers` end in a line break each. */
export function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: relay.test\r\n${headers}\r\n`;
}
