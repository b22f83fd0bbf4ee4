import type { Files } from '../../area.ts';
import { HEADER } from '../../text.ts';

/** ledger/package.ts: what the client package exports. */
export const renderPackage = (): Files => ({
  'ledger/package.ts': `${HEADER}export { type CallFailure, CallError, type ClientCall, type ClientOptions, createLedgerClient, errorNameOf, type LedgerClient } from './client.ts';
export { type Closing, type ConnectionEvent, createLedgerSubscriptions, type GapReport, type LedgerSubscription, type LedgerSubscriptions, type OpenSubscription, type SocketClass, type SocketLike, type SubscribeCall, type SubscribeOptions, type SubscriptionClientOptions } from './subscriptions-client.ts';
export { ERRORS, type ErrorContext, type ErrorName } from '../errors.ts';
export type { MethodName } from './methods.ts';
export type { SubscriptionName } from './subscriptions.ts';
export type * from './types.ts';
`,
});
