import { FakeClock } from '@openchambery/testkit';
import { expect, it } from 'vitest';
import { FRAME_TYPE, MAX_PAYLOAD_BYTES } from '../../../src/index.ts';
import { Outbox } from '../../../src/mux/outbox/outbox.ts';
import { defaultTunnelLimits } from '../../../src/mux/tunnel-limits.ts';
import { ScriptedChannel, settle } from '../support/scripted-channel.ts';

it('tells whoever wrote a piece when all of it has been copied, and not before', async () => {
  const channel = new ScriptedChannel({ isBatching: true });
  const outbox = new Outbox({ clock: new FakeClock(), limits: defaultTunnelLimits });
  const lane = outbox.createLane(() => undefined);
  const copied: string[] = [];
  const write = (name: string, byteLength: number): void => {
    const bytes = new Uint8Array(byteLength).fill(7);
    const onCopied = (): void => {
      copied.push(name);
      bytes.fill(0);
    };
    lane.push({ type: FRAME_TYPE.httpBody, streamId: 1, bytes, isUrgent: true, onCopied });
  };
  write('small', 10);
  write('larger than a frame', MAX_PAYLOAD_BYTES);
  await settle();
  expect(copied).toEqual([]);
  outbox.open(channel, { isBatching: true });
  await settle();
  expect(copied).toEqual(['small', 'larger than a frame']);
  const payloads = channel.takePlaintexts().flatMap((frames) => frames.map(({ payload }) => payload));
  expect(payloads.map(({ length }) => length)).toEqual([MAX_PAYLOAD_BYTES, 10]);
  expect(payloads.every((payload) => payload.every((byte) => byte === 7))).toBe(true);
});

it('does not tell of what was dropped', async () => {
  const outbox = new Outbox({ clock: new FakeClock(), limits: defaultTunnelLimits });
  const lane = outbox.createLane(() => undefined);
  const copied: string[] = [];
  const onCopied = (): void => void copied.push('dropped');
  lane.push({ type: FRAME_TYPE.httpBody, streamId: 1, bytes: new Uint8Array(10), isUrgent: true, onCopied });
  lane.drop();
  outbox.open(new ScriptedChannel({ isBatching: true }), { isBatching: true });
  await settle();
  expect(copied).toEqual([]);
});
