import { eq } from '../../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { carryCharges } from '../../../src/account/money/carry-charges.ts';
import { auditRecords } from '../../../src/store/audit-tables.ts';
import { carriedCharges } from '../../../src/store/money-tables.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { describeStores } from '../../store/backends.ts';

describeStores('charges from before the audit log had them', (backend) => {
  const store = backend.shared();

  test('are recorded once, in a record of each account, however many servers start', async () => {
    const [first, second] = [await newCustomer(store()), await newCustomer(store())];
    await store()
      .db.insert(carriedCharges)
      .values([
        {
          accountId: first,
          operation: 'wallet_creation',
          month: '2025-10',
          units: 1_000_001n,
          amount: 1_000_000_400n,
        },
        { accountId: first, operation: 'managed_signing', month: '2025-10', units: 7n, amount: 700n },
        { accountId: first, operation: 'wallet_creation', month: '2025-09', units: 2n, amount: 2_000n },
        { accountId: second, operation: 'hd_master_creation', month: '2025-10', units: 3n, amount: 0n },
      ]);
    await Promise.all([carryCharges(store(), NOW_MS), carryCharges(store(), NOW_MS)]);
    await carryCharges(store(), NOW_MS);

    const recordsOf = (accountId: string) =>
      store().db.select().from(auditRecords).where(eq(auditRecords.accountId, accountId));
    const carried = { action: 'charge', outcome: 'carried', tokenId: null, units: 1 };
    expect(await recordsOf(first)).toMatchObject([
      {
        ...carried,
        charges: [
          { operation: 'wallet_creation', month: '2025-09', units: 2, amount: 2_000 },
          { operation: 'managed_signing', month: '2025-10', units: 7, amount: 700 },
          { operation: 'wallet_creation', month: '2025-10', units: 1_000_001, amount: 1_000_000_400 },
        ],
      },
    ]);
    expect(await recordsOf(second)).toMatchObject([
      { ...carried, charges: [{ operation: 'hd_master_creation', month: '2025-10', units: 3, amount: 0 }] },
    ]);
    const verdict = await verifyAudit({ store: store(), headsFile: '/nowhere', trustedKeys: [] }, first);
    expect(verdict.isSound).toBe(true);
  });
});
