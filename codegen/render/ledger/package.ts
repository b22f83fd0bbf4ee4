import type { Files } from '../../area.ts';
import { HEADER } from '../../text.ts';

/** ledger/package.ts: what the client package exports. */
export const renderPackage = (): Files => ({
  'ledger/package.ts': `${HEADER}export { type CallFailure, CallError, type ClientCall, type ClientOptions, createLedgerClient, errorNameOf, type LedgerClient } from './client.ts';
export { ERRORS, type ErrorContext, type ErrorName } from '../errors.ts';
export type { MethodName } from './methods.ts';
export type * from './types.ts';
`,
});
