import { createRelayHost } from '@openchambery/host';
import type { HostKeys, HostPolicy, RelayHost } from '@openchambery/host';
import { describeValue, messageOf } from '../cli/describe-value.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { whenStopping } from '../cli/surroundings.ts';
import { PairingGuard } from '../pairs/pairing-guard.ts';
import type { PairingStore } from '../pairs/pairing-store.ts';
import { PairingView } from '../pairs/pairing-view.ts';
import { UseRecorder } from '../pairs/use-recorder.ts';
import { createReport } from '../terminal/report.ts';
import type { Report } from '../terminal/report.ts';
import { startTicker } from '../terminal/ticker.ts';
import type { ExposeConfig } from './expose-config.ts';
import { describeHost, hostFields, hostStage } from './host-text.ts';

/** How often revocations are looked for, and counters told, in ms. */
const TICK_MS = 500;

/** A Host that is ready to run. */
export interface ServedHost {
  /** Runs until the command is to stop; resolves when everything is closed and written. */
  run(): Promise<void>;
}

/** What it is made of. */
export interface ServeParts {
  readonly config: ExposeConfig;
  readonly keys: HostKeys;
  readonly store: PairingStore;
}

/** Makes the Host of an exposure. Throws what the Host says of options that are not usable. */
export function serveHost({ config, keys, store }: ServeParts, surroundings: Surroundings): ServedHost {
  const { clock } = surroundings;
  const recorder = new UseRecorder({ store, clock, onFault: (error) => warnOnce(error) });
  const guard = new PairingGuard({
    look: createLook(config),
    disconnect: (connectionId, reason) => host.disconnect(connectionId, reason),
    onUse: (id) => recorder.record(id),
  });
  const policy: HostPolicy = {
    allowPaths: config.allowPaths,
    admit: config.isSecret ? (request) => guard.admit(request) : undefined,
  };
  const host = createRelayHost({
    relayUrl: config.relayUrl,
    identity: keys,
    origin: config.origin,
    policy,
    clock,
  });
  const report = createReport(
    {
      describe: (detail) => describeHost(host.snapshot(), detail),
      fields: () => hostFields(host.snapshot()),
      stage: () => hostStage(host.status),
    },
    surroundings,
  );
  const warnOnce = onceEach((text) => report.warn(text));
  return { run: () => run({ host, guard, recorder, report }, surroundings) };
}

interface Running {
  readonly host: RelayHost;
  readonly guard: PairingGuard;
  readonly recorder: UseRecorder;
  readonly report: Report;
}

async function run({ host, guard, recorder, report }: Running, surroundings: Surroundings): Promise<void> {
  host.on('status', () => report.update());
  host.on('connectionOpened', () => report.update());
  host.on('connectionClosed', ({ connectionId }) => {
    guard.forget(connectionId);
    report.update();
  });
  const stopTicker = startTicker(
    () => {
      guard.enforce();
      report.update();
    },
    TICK_MS,
    surroundings.clock,
  );
  host.start();
  report.update();
  await whenStopping(surroundings);
  stopTicker();
  await host.stop();
  await recorder.stop();
  report.update();
  report.end();
}

function createLook({ files }: ExposeConfig): PairingView['look'] {
  const view = new PairingView(files.pairs);
  return () => view.look();
}

/** Says each thing once: a full disk would otherwise fill the terminal. */
function onceEach(print: (text: string) => void): (error: unknown) => void {
  const said = new Set<string>();
  return (error) => {
    const text = `Warning: when pairings were last used could not be written: ${describeValue(messageOf(error))}\n`;
    if (said.has(text) || said.size > 10) return;
    said.add(text);
    print(text);
  };
}
