import { FakeClock } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceHealth } from '../../src/deliver/service-health.ts';

const HOUR_MS = 3_600_000;
const TOPIC = 'com.example';

let clock: FakeClock;
let heard: string[];
let health: ServiceHealth;

beforeEach(() => {
  clock = new FakeClock();
  heard = [];
  health = new ServiceHealth(clock, {
    onSuspected: (environment, topic) => heard.push(`suspected ${environment} ${topic}`),
    onCleared: (environment, topic) => heard.push(`cleared ${environment} ${topic}`),
  });
});

function refuse(...tokens: string[]): void {
  for (const token of tokens) health.refused('production', TOPIC, token);
}

describe('an environment', () => {
  it('is not suspected at first, nor for two tokens', () => {
    expect(health.isSuspected('production', TOPIC)).toBe(false);
    refuse('a', 'b');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
    expect(heard).toEqual([]);
  });

  it('is suspected when it has refused three tokens and taken none, and that is said once', () => {
    refuse('a', 'b', 'c', 'd', 'e');
    expect(health.isSuspected('production', TOPIC)).toBe(true);
    expect(heard).toEqual([`suspected production ${TOPIC}`]);
    expect(health.suspected()).toEqual(['production']);
  });

  it('is not suspected for one token, however often it comes', () => {
    refuse('a', 'a', 'a', 'a', 'b', 'a', 'b');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
  });

  it('is suspected for one topic alone, and by itself', () => {
    refuse('a', 'b', 'c');
    expect(health.isSuspected('production', `${TOPIC}.push-type.liveactivity`)).toBe(false);
    expect(health.isSuspected('sandbox', TOPIC)).toBe(false);
  });

  it('is named once although it refuses two topics', () => {
    refuse('a', 'b', 'c');
    for (const token of ['a', 'b', 'c']) health.refused('production', 'other', token);
    expect(health.suspected()).toEqual(['production']);
  });
});

describe('an environment that works', () => {
  it('is trusted for an hour, whatever it refuses', () => {
    health.worked('production', TOPIC);
    clock.advance(HOUR_MS);
    refuse('a', 'b', 'c', 'd');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
    clock.advance(1);
    refuse('a', 'b');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
    refuse('c');
    expect(health.isSuspected('production', TOPIC)).toBe(true);
  });

  it('makes earlier refusals void', () => {
    refuse('a', 'b');
    health.worked('production', TOPIC);
    clock.advance(HOUR_MS + 1);
    refuse('c', 'd');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
  });

  it('is cleared at once, which is said once', () => {
    refuse('a', 'b', 'c');
    health.worked('production', TOPIC);
    health.worked('production', TOPIC);
    expect(health.isSuspected('production', TOPIC)).toBe(false);
    expect(health.suspected()).toEqual([]);
    expect(heard).toEqual([`suspected production ${TOPIC}`, `cleared production ${TOPIC}`]);
  });

  it('may be suspected again, and that is said again', () => {
    refuse('a', 'b', 'c');
    health.worked('production', TOPIC);
    clock.advance(HOUR_MS + 1);
    refuse('a', 'b', 'c');
    expect(heard.filter((line) => line.startsWith('suspected'))).toHaveLength(2);
  });

  it('is measured by time that goes one way', () => {
    health.worked('production', TOPIC);
    clock.jumpEpoch(10 * HOUR_MS);
    refuse('a', 'b', 'c');
    expect(health.isSuspected('production', TOPIC)).toBe(false);
  });
});
