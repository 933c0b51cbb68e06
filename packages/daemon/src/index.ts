export { silentLogger } from './observe/logger.ts';
export type { Logger } from './observe/logger.ts';
export { completeLimits, limitNames, toVariableName } from './options/limit-table.ts';
export type { LimitDefinition, LimitRefusal, LimitTable, LimitUnit } from './options/limit-table.ts';
export { describeValue, OptionError } from './options/option-error.ts';
export type { OptionFault } from './options/option-error.ts';
export { systemClock } from '@openchambery/wire';
export type { Clock, Timer } from '@openchambery/wire';
