import { listInvoices } from '../../src/account/billing/invoices/read-invoices.ts';
import type { Role } from '../../src/account/identity/members/sessions.ts';
import { eventually } from '../../src/core/eventually.ts';
import type { MemberServer } from '../account/api/sessions/member-server.ts';
import { FIRST_MONTH, SECOND_MONTH } from './fill-billing.ts';

/** Members and invoices of the accounts that a store was filled with before its server started. */
export function useBilledAccounts(world: () => MemberServer) {
  /** Signs in a member of an account, with a fresh session. */
  const enter = async (account: string, role: Role = 'owner') => {
    const { members } = world();
    const accountId = await members.accountIdOf(account);
    const owner = await members.newOwner(accountId);
    const login = role === 'owner' ? owner : await members.newMember(owner, role);
    return { accountId, token: await members.newSession(login) };
  };

  /** The numbers of the two invoices of an account, the first month's first, once the server has issued them. */
  const invoicesOf = (accountId: string) =>
    eventually('the invoices are issued', async () => {
      const issued = await listInvoices(world().members.store.db, { accountId, limit: 10 });
      const numberOf = (wanted: string) => issued.find(({ month }) => month === wanted)?.number;
      const [first, second] = [numberOf(FIRST_MONTH), numberOf(SECOND_MONTH)];
      return first === undefined || second === undefined ? undefined : ([first, second] as const);
    });

  return { enter, invoicesOf };
}
