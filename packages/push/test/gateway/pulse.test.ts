import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { Pulse } from '../../src/gateway/pulse.ts';

class Bench {
  readonly clock = new FakeClock();
  readonly events: string[] = [];
  answer: () => void = () => undefined;
  readonly pulse = new Pulse({
    clock: this.clock,
    pingIdleMs: 1000,
    pingTimeoutMs: 100,
    maxSilenceMs: 500,
    ping: (onAnswered) => {
      this.events.push('ping');
      this.answer = onAnswered;
    },
    onAlive: () => this.events.push('alive'),
    onDead: () => this.events.push('dead'),
  });
}

describe('Pulse', () => {
  it('asks after the idle time, counted from what was heard last', () => {
    const { clock, events, pulse } = new Bench();
    clock.advance(600);
    pulse.heard();
    clock.advance(999);
    expect(events).toEqual([]);
    clock.advance(1);
    expect(events).toEqual(['ping']);
    expect(pulse.isAsking).toBe(true);
  });

  it('is dead when nothing answers in time, and alive a moment before', () => {
    const dead = new Bench();
    dead.clock.advance(1099);
    expect(dead.events).toEqual(['ping']);
    dead.clock.advance(1);
    expect(dead.events).toEqual(['ping', 'dead']);
    const alive = new Bench();
    alive.clock.advance(1099);
    alive.answer();
    alive.clock.advance(999);
    expect(alive.events).toEqual(['ping', 'alive']);
    alive.clock.advance(1);
    expect(alive.events).toEqual(['ping', 'alive', 'ping']);
  });

  it('ignores an answer that comes twice or when it is stopped', () => {
    const { clock, events, pulse, answer } = new Bench();
    clock.advance(1000);
    pulse.stop();
    answer();
    clock.advance(5000);
    expect(events).toEqual(['ping']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('asks in doubt, unless something was heard since, and not twice at a time', () => {
    const { clock, events, pulse } = new Bench();
    clock.advance(10);
    pulse.heard();
    pulse.doubt(9);
    expect(events).toEqual([]);
    pulse.doubt(11);
    pulse.doubt(12);
    expect(events).toEqual(['ping']);
  });

  it('asks before something is sent after a longer silence than allowed', () => {
    const { clock, events, pulse } = new Bench();
    clock.advance(500);
    pulse.probe();
    expect(events).toEqual([]);
    clock.advance(1);
    pulse.probe();
    pulse.probe();
    expect(events).toEqual(['ping']);
  });
});
