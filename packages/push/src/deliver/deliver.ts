import type { Binding, Platform } from '../binding/binding.ts';
import type { BindingChange, BindingStore } from '../binding/binding-store.ts';
import type { Environment } from '../provider/push-provider.ts';
import { canonicalToken } from '../request/device-token.ts';
import { deliverOne } from './deliver-one.ts';
import type { DeliveryGate } from './delivery-gate.ts';
import type { Delivered, DeliveredByApple, DeliveryContext, DeliveryJob } from './delivery-job.ts';
import { type Evidence, judge } from './judge.ts';
import { FCM_TOPIC, type ServiceHealth } from './service-health.ts';

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
  /** One for each platform, so that a service that hangs takes no place from another. */
  readonly gates: Readonly<Record<Platform, DeliveryGate>>;
  readonly health: ServiceHealth;
  readonly listener: DeliveryListener;
}

/** A push for many. */
export interface Delivery {
  readonly job: DeliveryJob;
  /** As sent, duplicates included. */
  readonly tokens: readonly string[];
  /** Under what name Apple files it. */
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
  const known = new Set([...spellings].flat());
  const bindings = await courier.store.find(delivery.job.serverId, [...known]);
  const named = [...spellings].map(([canonical, spelling]) => ({
    spelling,
    binding: ofPlatform('ios', bindings.get(canonical)) ?? ofPlatform('android', bindings.get(spelling)),
  }));
  const pending = named.flatMap(({ binding }) => start(binding, delivery.job, courier) ?? []);
  const delivered = await Promise.all(pending);
  const dropped = await settle(delivered, delivery, courier);
  const accepted = new Set(
    delivered.filter(({ outcome }) => outcome.kind === 'accepted').map(({ binding }) => binding.token),
  );
  return named.map(({ spelling: token, binding }) => {
    if (binding === undefined) return { token, ok: false };
    if (accepted.has(binding.token)) return { token, ok: true };
    return { token, ok: false, ...(dropped.has(binding.token) ? { drop: true as const } : {}) };
  });
}

/** A binding of that platform: what a token means depends on whose it is. */
function ofPlatform(platform: Platform, binding: Binding | undefined): Binding | undefined {
  return binding?.platform === platform ? binding : undefined;
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
  const delivery = courier.gates[binding.platform].run(() => deliverOne(binding, job, courier));
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
      const lastAcceptedAtMs = each.platform === 'ios' ? lastAcceptedAt.get(each.asked) : undefined;
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
function learnHealth(delivered: readonly Delivered[], topic: string, health: ServiceHealth): void {
  for (const each of delivered) {
    const { kind } = each.outcome;
    if (each.platform === 'ios') {
      if (kind === 'accepted' || kind === 'dead') health.worked(each.environment, topic);
    } else if (kind === 'accepted') {
      // That a token is dead FCM may know of other projects' tokens, too.
      health.worked('fcm', FCM_TOPIC);
    }
  }
  for (const each of delivered) {
    if (each.platform === 'ios') {
      if (each.isRefusedByBoth) health.refused(each.asked, topic, each.binding.token);
    } else if (each.outcome.kind === 'mismatch') {
      health.refused('fcm', FCM_TOPIC, each.binding.token);
    }
  }
}

/** Only those refused by one environment alone are judged by what it has accepted from others. */
async function readAcceptances(
  delivered: readonly Delivered[],
  topic: string,
  store: BindingStore,
): Promise<ReadonlyMap<Environment, number | undefined>> {
  const asked = delivered
    .filter((each): each is DeliveredByApple => each.platform === 'ios')
    .filter(({ outcome, isRefusedByBoth }) => outcome.kind === 'mismatch' && !isRefusedByBoth)
    .map((each) => each.asked);
  const entries = await Promise.all(
    [...new Set(asked)].map(async (each) => [each, await store.lastAcceptedAtMs(each, topic)] as const),
  );
  return new Map(entries);
}
