// An entrance of its own: whoever only checks options need not load a database and a web framework.
export { PUSH_LIMITS } from './limit-table.ts';
export type { PushLimitName, PushLimits } from './limits.ts';
export { PushOptionError } from './push-option-error.ts';
export { PUSH_DEFAULTS, resolvePushOptions } from './push-options.ts';
