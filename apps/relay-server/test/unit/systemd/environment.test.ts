import { describe, expect, it } from 'vitest';
import { readSystemdEnvironment, SYSTEMD_VARIABLES } from '../../../src/systemd/environment.ts';

const PID = 4711;
const NOTHING = { listenFd: undefined, notifySocket: undefined, watchdogMs: undefined };

describe('readSystemdEnvironment', () => {
  it('finds nothing in an environment without systemd', () => {
    expect(readSystemdEnvironment({}, PID)).toEqual(NOTHING);
  });

  it('finds one socket, as file descriptor 3', () => {
    const env = { LISTEN_PID: '4711', LISTEN_FDS: '1', LISTEN_FDNAMES: 'relay' };
    expect(readSystemdEnvironment(env, PID)).toEqual({ ...NOTHING, listenFd: 3 });
  });

  it.each(['1', '04711', '4711 ', '', 'x', undefined])('takes no socket meant for %j', (LISTEN_PID) => {
    expect(readSystemdEnvironment({ LISTEN_PID, LISTEN_FDS: '2' }, PID)).toEqual(NOTHING);
  });

  it('takes no socket when none is spoken of', () => {
    expect(readSystemdEnvironment({ LISTEN_PID: '4711' }, PID)).toEqual(NOTHING);
  });

  it.each(['0', '2', '01', '-1', '1.0', 'one', ''])(
    'names what is allowed for LISTEN_FDS=%s',
    (LISTEN_FDS) => {
      expect(readSystemdEnvironment({ LISTEN_PID: '4711', LISTEN_FDS }, PID)).toBe(
        'Invalid LISTEN_FDS: expected 1 (one socket: one ListenStream= in one socket unit), ' +
          `got ${JSON.stringify(LISTEN_FDS)}`,
      );
    },
  );

  it.each(['/run/systemd/notify', '@notify'])('finds where to notify: %s', (NOTIFY_SOCKET) => {
    const found = readSystemdEnvironment({ NOTIFY_SOCKET }, PID);
    expect(found).toEqual({ ...NOTHING, notifySocket: NOTIFY_SOCKET });
  });

  it('takes an empty NOTIFY_SOCKET for none', () => {
    expect(readSystemdEnvironment({ NOTIFY_SOCKET: '' }, PID)).toEqual(NOTHING);
  });

  it.each([undefined, '4711'])('finds the watchdog of process %s, in ms', (WATCHDOG_PID) => {
    const found = readSystemdEnvironment({ WATCHDOG_PID, WATCHDOG_USEC: '1500' }, PID);
    expect(found).toEqual({ ...NOTHING, watchdogMs: 1.5 });
  });

  it.each([
    ['4712', '1500'],
    ['', '1500'],
    ['4711', '0'],
    ['4711', '-1'],
    ['4711', 'soon'],
    ['4711', '1'.repeat(19)],
    ['4711', undefined],
  ])('has no watchdog for process %j and %j µs', (WATCHDOG_PID, WATCHDOG_USEC) => {
    expect(readSystemdEnvironment({ WATCHDOG_PID, WATCHDOG_USEC }, PID)).toEqual(NOTHING);
  });

  it('reads nothing but the variables that are taken away afterwards', () => {
    const asked = new Set<string>();
    const env = new Proxy({}, { get: (_target, name) => void asked.add(String(name)) });
    readSystemdEnvironment(env, PID);
    expect([...asked].filter((name) => !SYSTEMD_VARIABLES.includes(name))).toEqual([]);
    expect(asked.size).toBeGreaterThan(0);
  });
});
