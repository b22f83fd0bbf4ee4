import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../../generated/account/operations.ts';
import { MEMBER_ACTIONS } from '../members/audit-member.ts';
import { OPERATIONS as WALLET_OPERATIONS } from '../../../generated/wallets/operations.ts';

const OPERATIONS = { ...WALLET_OPERATIONS, ...ACCOUNT_OPERATIONS };

/** Actions in the audit log of an account: the operations of every service, what the operator does to members, refused topic streams, refusals of too many kinds in one minute, and whether it operates the server. */
export const AUDIT_ACTIONS: readonly string[] = [
  ...new Set([
    ...Object.values(OPERATIONS).map(({ audit }) => audit),
    ...MEMBER_ACTIONS,
    'subscribe',
    'access',
    'operate',
  ]),
];
