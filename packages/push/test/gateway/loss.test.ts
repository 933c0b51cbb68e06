import { describe, expect, it } from 'vitest';
import { classifyLoss } from '../../src/gateway/loss.ts';

const CLOSED = { id: 5, rstCode: 0, goAway: undefined, ownEnd: undefined };

describe('classifyLoss', () => {
  it('calls unsent what never got an id', () => {
    expect(classifyLoss({ ...CLOSED, id: undefined, rstCode: 8 })).toEqual({ kind: 'unsent' });
    expect(classifyLoss({ ...CLOSED, id: undefined, ownEnd: 'closed' })).toEqual({ kind: 'unsent' });
  });

  it.each([0, 1, 7])('goes by the last stream of a GOAWAY with code %d', (code) => {
    const above = classifyLoss({ ...CLOSED, rstCode: 7, goAway: { code, lastStreamId: 3 } });
    expect(above).toEqual({ kind: 'above-goaway' });
    const first = classifyLoss({ ...CLOSED, id: 1, goAway: { code, lastStreamId: 0 } });
    expect(first).toEqual({ kind: 'above-goaway' });
    expect(classifyLoss({ ...CLOSED, rstCode: 2, goAway: { code, lastStreamId: 5 } }).kind).toBe('unknown');
  });

  it('does not take the code of a GOAWAY for a refusal of the stream', () => {
    const goAway = { code: 7, lastStreamId: 5 };
    expect(classifyLoss({ ...CLOSED, rstCode: 7, goAway }).kind).toBe('unknown');
  });

  it('knows a refusal, also while the connection drains', () => {
    expect(classifyLoss({ ...CLOSED, rstCode: 7 })).toEqual({ kind: 'refused' });
    const goAway = { code: 0, lastStreamId: 5 };
    expect(classifyLoss({ ...CLOSED, rstCode: 7, goAway })).toEqual({ kind: 'refused' });
  });

  it.each([0, 2, 5, 8])('knows nothing with rstCode %d', (rstCode) => {
    expect(classifyLoss({ ...CLOSED, rstCode })).toEqual({ kind: 'unknown', reason: 'connection-lost' });
  });

  it('gives our own reason for our own end', () => {
    expect(classifyLoss({ ...CLOSED, ownEnd: 'ping-timeout' })).toEqual({
      kind: 'unknown',
      reason: 'ping-timeout',
    });
  });
});
