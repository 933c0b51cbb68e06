import type { EventEmitter } from 'node:events';
import { AdmissionTable } from '@openchambery/daemon';
import { createWireContext } from '@openchambery/wire';
import { Heartbeat } from './connection/heartbeat.ts';
import { SocketRegistry } from './connection/socket-registry.ts';
import { Counters } from './observe/counters.ts';
import type { RelayEventMap } from './observe/events.ts';
import { Report } from './observe/report.ts';
import type { ResolvedRelayOptions } from './options.ts';
import type { RelayContext } from './relay-context.ts';
import { ConnectionIndex } from './routing/connection-index.ts';
import { HostRegistry } from './routing/host-registry.ts';
import { HostAuthenticator } from './upgrade/authenticate.ts';
import type { Gatekeeper } from './upgrade/decide.ts';
import { RefusedSockets } from './upgrade/refused-sockets.ts';
import { ReplayCache } from './upgrade/replay-cache.ts';
import { createWireLimits } from './wire-limits.ts';

/** Verified keys that are kept for each Host that may be connected: those that come and go count too. */
const CACHED_KEYS_PER_HOST = 4;

/** The stages between an upgrade and its place, joined: everything of a relay but the port it listens on. */
export interface RelayParts {
  readonly context: RelayContext;
  readonly gatekeeper: Gatekeeper;
  readonly replay: ReplayCache;
  readonly refused: RefusedSockets;
}

/** What the stages are joined to. */
export interface RelaySurroundings {
  /** Who tells the listeners of events. */
  readonly emitter: EventEmitter<RelayEventMap>;
  /** Calls back in the next turn of the event loop. @default setImmediate */
  readonly nextTurn?: (callback: () => void) => void;
}

/** Joins the stages of one relay. */
export function createRelayParts(options: ResolvedRelayOptions, surroundings: RelaySurroundings): RelayParts {
  const { limits, clock } = options;
  const context = createContext(options, surroundings);
  const replay = new ReplayCache({ clock, replayMs: limits.replayMs, maxEntries: limits.maxReplayEntries });
  return {
    context,
    gatekeeper: createGatekeeper(options, replay),
    replay,
    refused: new RefusedSockets(context.wire),
  };
}

function createContext(options: ResolvedRelayOptions, surroundings: RelaySurroundings): RelayContext {
  const { limits, clock, randomBytes, logger } = options;
  const { emitter, nextTurn } = surroundings;
  const wire = createWireContext({
    limits: createWireLimits(limits),
    budgetBytes: limits.maxGlobalQueuedBytes,
    clock,
    ...(nextTurn === undefined ? {} : { nextTurn }),
  });
  const heartbeat = new Heartbeat({ clock, intervalMs: limits.heartbeatMs, nextTurn: wire.nextTurn });
  return {
    limits,
    clock,
    randomBytes,
    wire,
    sockets: new SocketRegistry(heartbeat),
    hosts: new HostRegistry(),
    connections: new ConnectionIndex(),
    counters: new Counters(),
    report: new Report({ logger, clock }, emitter),
  };
}

function createGatekeeper({ limits, clock, path }: ResolvedRelayOptions, replay: ReplayCache): Gatekeeper {
  return {
    limits,
    target: { path, maxUrlBytes: limits.maxUrlBytes, maxFieldBytes: limits.maxFieldBytes },
    admission: new AdmissionTable({
      clock,
      windowMs: limits.admissionWindowMs,
      maxEntries: limits.maxAdmissionEntries,
    }),
    authenticator: new HostAuthenticator({
      clock,
      timestampSkewMs: limits.timestampSkewMs,
      replay,
      maxCachedKeys: limits.maxHosts * CACHED_KEYS_PER_HOST,
    }),
  };
}
