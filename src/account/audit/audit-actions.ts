import { OPERATIONS } from '../../../generated/wallets/operations.ts';

/** Actions in the audit log of an account: the operations, refused topic streams, and refusals of too many kinds in one minute. */
export const AUDIT_ACTIONS: readonly string[] = [
  ...new Set([...Object.values(OPERATIONS).map(({ audit }) => audit), 'subscribe', 'access']),
];
