import { expect, test } from 'vitest';
import { listAudit } from '../../src/account/audit/list-audit.ts';
import { createAccount } from '../../src/account/create-account.ts';
import { loadPlanBook } from '../../src/account/plans.ts';
import { setOperates } from '../../src/account/operators.ts';
import { serveServiceLevel } from '../../src/admin/serve-service-level.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { describeStores } from '../store/backends.ts';
import { newAccountDeps } from './account-deps.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START_MS = Math.ceil(NOW_MS / MINUTE_MS) * MINUTE_MS + 2 * DAY_MS;

describeStores('commands about planned work', (backend) => {
  const store = backend.emptied();

  async function setUp() {
    const deps = { ...newAccountDeps(), store: store(), plans: await loadPlanBook(store()) };
    const newAccount = (name: string) =>
      createAccount({ ...deps, record: async () => undefined }, { name, plan: undefined }, NOW_MS);
    const operators = [await newAccount('one'), await newAccount('other')];
    for (const accountId of operators) await setOperates(deps, { accountId, operates: true });
    const customer = await newAccount('customer');
    const recordsOf = async (accountId: string) =>
      (await listAudit(store(), accountId, { limit: 10 })).records.map(
        ({ action, outcome, subject, tokenId, requestId }) => ({
          ...{ action, outcome, subject, tokenId },
          isOfCommand: requestId.startsWith('cmd_'),
        }),
      );
    const announce = async (): Promise<string> => {
      const wanted = { startMs: START_MS, endMs: START_MS + MINUTE_MS, note: 'a disk' };
      const work = await serveServiceLevel(store(), { kind: 'planned-work.announce', ...wanted }, NOW_MS);
      return (work as { readonly work_id: string }).work_id;
    };
    return { operators, customer, recordsOf, announce };
  }

  test('are in the audit logs of the accounts that operate the server, each once, and in no other', async () => {
    const { operators, customer, recordsOf, announce } = await setUp();
    const id = await announce();
    for (const nowMs of [NOW_MS, NOW_MS + 1])
      await serveServiceLevel(store(), { kind: 'planned-work.cancel', id }, nowMs);
    const record = { outcome: 'ok', subject: id, isOfCommand: true };
    for (const operator of operators)
      expect(await recordsOf(operator)).toMatchObject([
        { ...record, action: 'cancelwork' },
        { ...record, action: 'announcework' },
      ]);
    expect(await recordsOf(customer)).toEqual([]);
  });

  test('that are refused leave no record', async () => {
    const { operators, recordsOf, announce } = await setUp();
    const id = await announce();
    await expect(
      serveServiceLevel(store(), { kind: 'planned-work.cancel', id }, START_MS),
    ).rejects.toMatchObject({ code: 'plannedWorkBegun' });
    expect(await recordsOf(operators[0] ?? '')).toMatchObject([{ action: 'announcework' }]);
  });
});
