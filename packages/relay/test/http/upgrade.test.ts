import { encodeUpgrade } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { start } from './harness.ts';

async function statusOf(bytes: string): Promise<number> {
  const { connect } = await start();
  const raw = await connect();
  void raw.write(bytes);
  return (await raw.responseHead()).status;
}

describe('an upgrade', () => {
  it.each<[string, Record<string, string | undefined>]>([
    ['no Host header', { Host: undefined }],
    ['two protocols', { Upgrade: 'websocket, foo' }],
    ['websocket in second place', { Upgrade: 'h2c,WebSocket' }],
    ['the header twice', { Upgrade: 'websocket\r\nUpgrade: websocket' }],
  ])('with %s gets HTTP 400', async (_name, headers) => {
    expect(await statusOf(encodeUpgrade({ target: '/ws', headers }).bytes)).toBe(400);
  });

  it('by HTTP/1.0 gets HTTP 400', async () => {
    expect(await statusOf(encodeUpgrade({ target: '/ws' }).bytes.replace('HTTP/1.1', 'HTTP/1.0'))).toBe(400);
  });

  it.each(['h2c', 'websocket2', 'xwebsocket'])('to %s is a plain request', async (upgrade) => {
    expect(await statusOf(encodeUpgrade({ target: '/ws', headers: { Upgrade: upgrade } }).bytes)).toBe(404);
  });
});
