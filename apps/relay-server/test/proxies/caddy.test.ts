import { describeProxy } from './support/describe-proxy.ts';
import { caddy } from './support/caddy.ts';

describeProxy(caddy);
