import { cpuNs } from '../../measure/process-meter.ts';
import type { ScenarioResult } from '../../results.ts';
import type { Order, Outcome } from '../orders.ts';
import type { Role, Route } from '../world.ts';

/** What a scenario runs with. */
export interface TunnelBenchContext {
  readonly routes: readonly Route[];
  readonly quick: boolean;
  readonly rounds: number;
  /** Says on stderr how far the run is. */
  readonly progress: (line: string) => void;
}

/** One line of work of the benchmark. */
export type TunnelScenario = (context: TunnelBenchContext) => Promise<ScenarioResult>;

/** The routes that every scenario compares; the others are for small requests. */
export function mainRoutes({ routes }: TunnelBenchContext): readonly Route[] {
  return routes.filter(({ name }) => name === 'tunnel' || name === 'hops' || name === 'direct');
}

/** An outcome, and what everybody on the route spent on it. */
export interface Reading extends Outcome {
  /** In seconds. */
  readonly cpu: Partial<Readonly<Record<Role, number>>>;
}

/** Has an order carried out over a route and reads the CPU time of everybody on it at both ends. */
export async function measure(route: Route, order: Order): Promise<Reading> {
  const roles = Object.entries(route.pids) as [Role, number][];
  const before = roles.map(([, pid]) => cpuNs(pid));
  const outcome = await route.client.ask(order);
  const cpu = roles.map(([role, pid], index) => [role, (cpuNs(pid) - (before[index] ?? 0)) / 1e9] as const);
  return { ...outcome, cpu: Object.fromEntries(cpu) };
}
