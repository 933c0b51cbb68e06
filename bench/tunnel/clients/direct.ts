/**
 * A client of the origin itself, by the `fetch` of Node.
 * Run as a program with a channel to its parent: `direct.ts ORIGIN_PORT`.
 */
import { argument } from '../parties/party-process.ts';
import { FetchSession } from './fetch-session.ts';
import { takeOrders } from './take-orders.ts';

const session = new FetchSession(fetch, `http://127.0.0.1:${argument(0)}`);
takeOrders({ sessions: (count) => Promise.resolve(Array.from({ length: count }, () => session)) });
