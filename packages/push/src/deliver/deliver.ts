import type { Binding } from '../binding/binding.ts';
import type { BindingChange, BindingStore } from '../binding/binding-store.ts';
import type { Environment } from '../provider/push-provider.ts';
import { canonicalToken } from '../request/device-token.ts';
import { deliverOne, type Delivered, type DeliveryContext, type DeliveryJob } from './deliver-one.ts';
import type { DeliveryGate } from './delivery-gate.ts';
import type { EnvironmentHealth } from './environment-health.ts';
import { type Evidence, judge } from './judge.ts';

/** What a caller reads about one token. */
export type ResultRow =
  | { readonly token: string; readonly ok: true }
  | { readonly token: string; readonly ok: false; readonly drop?: true };

/** Hears what became of deliveries, for log and counters; never a token. */
export interface DeliveryListener {
  delivered(delivered: Delivered): void;
  /** The token is not bound to the server that asked. */
  unbound(): void;
  /** Too many deliveries wait already. */
  overloaded(): void;
  /** Tokens were found dead and are forgotten. */
  dropped(count: number): void;
  /** What was found out could not be written down. */
  unsettled(error: unknown): void;
}

/** What deliveries share. */
export interface Courier extends DeliveryContext {
  readonly store: BindingStore;
  readonly gate: DeliveryGate;
  readonly health: EnvironmentHealth;
  readonly listener: DeliveryListener;
}

/** A push for many. */
export interface Delivery {
  readonly job: DeliveryJob;
  /** As sent, duplicates included. */
  readonly tokens: readonly string[];
  readonly topic: string;
  /** Whether a push that is accepted is the token's last: the end of a Live Activity. */
  readonly isLast: boolean;
}

/**
 * Sends a push to every token that is bound to the server, and draws the conclusions. One row for each distinct
 * token, in the order of the request. Rejects only when the bindings cannot be read; then nothing was sent.
 */
export async function deliver(delivery: Delivery, courier: Courier): Promise<readonly ResultRow[]> {
  const spellings = distinct(delivery.tokens);
  const bindings = await courier.store.find(delivery.job.serverId, [...spellings.keys()]);
  const pending = [...spellings.keys()].flatMap(
    (token) => start(bindings.get(token), delivery.job, courier) ?? [],
  );
  const delivered = await Promise.all(pending);
  const dropped = await settle(delivered, delivery, courier);
  const accepted = new Set(
    delivered.filter(({ outcome }) => outcome.kind === 'accepted').map(({ binding }) => binding.token),
  );
  return [...spellings].map(([token, spelling]) => {
    if (accepted.has(token)) return { token: spelling, ok: true };
    return { token: spelling, ok: false, ...(dropped.has(token) ? { drop: true as const } : {}) };
  });
}

/** The canonical form of each token and how it was first written. */
function distinct(tokens: readonly string[]): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const token of tokens) {
    const canonical = canonicalToken(token);
    if (!spellings.has(canonical)) spellings.set(canonical, token);
  }
  return spellings;
}

function start(
  binding: Binding | undefined,
  job: DeliveryJob,
  courier: Courier,
): Promise<Delivered> | undefined {
  if (binding === undefined) {
    courier.listener.unbound();
    return undefined;
  }
  const delivery = courier.gate.run(() => deliverOne(binding, job, courier));
  if (delivery === undefined) courier.listener.overloaded();
  return delivery;
}

/** Draws the conclusions of all deliveries of a request together, and gives the tokens that were dropped. */
async function settle(
  delivered: readonly Delivered[],
  { topic, isLast }: Delivery,
  courier: Courier,
): Promise<ReadonlySet<string>> {
  for (const each of delivered) courier.listener.delivered(each);
  learnHealth(delivered, topic, courier.health);
  try {
    const lastAcceptedAt = await readAcceptances(delivered, topic, courier.store);
    const evidence: Omit<Evidence, 'lastAcceptedAtMs'> = {
      health: courier.health,
      topic,
      nowMs: courier.clock.epochMs(),
      isLast,
    };
    const changes: BindingChange[] = delivered.flatMap((each) => {
      const lastAcceptedAtMs = lastAcceptedAt.get(each.asked);
      return judge(each, { ...evidence, lastAcceptedAtMs }) ?? [];
    });
    const dropped = changes.length === 0 ? new Set<string>() : await courier.store.settle(changes);
    const alive = delivered.filter(({ outcome }) => outcome.kind === 'accepted');
    const deadCount = dropped.size - alive.filter(({ binding }) => dropped.has(binding.token)).length;
    if (deadCount > 0) courier.listener.dropped(deadCount);
    return dropped;
  } catch (error) {
    // The pushes are on their way, and that is what was asked for: no reason to fail the request.
    courier.listener.unsettled(error);
    return new Set();
  }
}

/** What worked counts first: one token that is taken shows that the others are not refused for the configuration. */
function learnHealth(delivered: readonly Delivered[], topic: string, health: EnvironmentHealth): void {
  for (const { outcome, environment } of delivered) {
    if (outcome.kind === 'accepted' || outcome.kind === 'dead') health.worked(environment, topic);
  }
  for (const { binding, isRefusedByBoth, asked } of delivered) {
    if (isRefusedByBoth) health.refused(asked, topic, binding.token);
  }
}

/** Only those refused by one environment alone are judged by what it has accepted from others. */
async function readAcceptances(
  delivered: readonly Delivered[],
  topic: string,
  store: BindingStore,
): Promise<ReadonlyMap<Environment, number | undefined>> {
  const asked = delivered
    .filter(({ outcome, isRefusedByBoth }) => outcome.kind === 'mismatch' && !isRefusedByBoth)
    .map((each) => each.asked);
  const entries = await Promise.all(
    [...new Set(asked)].map(async (each) => [each, await store.lastAcceptedAtMs(each, topic)] as const),
  );
  return new Map(entries);
}
