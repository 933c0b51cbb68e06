// `npm run setup`: makes the checkout ready and does nothing else.
import { setUp } from './setup/set-up.mjs';

await setUp();
