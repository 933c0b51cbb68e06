import { describeProxy } from './support/describe-proxy.ts';
import { haproxy } from './support/haproxy.ts';

describeProxy(haproxy);
