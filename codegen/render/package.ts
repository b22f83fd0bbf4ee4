import type { Files } from '../area.ts';
import { HEADER } from '../text.ts';

/** package.ts: what the client package exports, the clients of both services. */
export const renderPackage = (): Files => ({
  'package.ts': `${HEADER}export * from './ledger/package.ts';
export * from './wallets/package.ts';
`,
});
