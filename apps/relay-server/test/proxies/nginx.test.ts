import { describeProxy } from './support/describe-proxy.ts';
import { nginx } from './support/nginx.ts';

describeProxy(nginx);
