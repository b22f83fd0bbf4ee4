import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../../generated/account/operations.ts';
import { OPERATIONS as WALLET_OPERATIONS } from '../../../generated/wallets/operations.ts';

const OPERATIONS = { ...WALLET_OPERATIONS, ...ACCOUNT_OPERATIONS };

/** Actions in the audit log of an account: the operations of every service, refused topic streams, and refusals of too many kinds in one minute. */
export const AUDIT_ACTIONS: readonly string[] = [
  ...new Set([...Object.values(OPERATIONS).map(({ audit }) => audit), 'subscribe', 'access']),
];
