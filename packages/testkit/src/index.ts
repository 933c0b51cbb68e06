export { FakeClock } from './fake-clock.ts';
export type { FakeTimer } from './fake-clock.ts';
