export { systemClock } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
