import { expect, test } from 'vitest';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { createAccount } from '../../../src/account/setup/create-account.ts';
import { setOperates } from '../../../src/account/identity/operators.ts';
import { NOW_MS } from '../../account/new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { commandsOn, newCommandDeps } from './account-deps.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START_MS = Math.ceil(NOW_MS / MINUTE_MS) * MINUTE_MS + 2 * DAY_MS;

describeStores('commands about planned work', (backend) => {
  const store = backend.emptied();

  async function setUp() {
    const deps = await newCommandDeps(store());
    const run = commandsOn(deps);
    const newAccount = (name: string) =>
      createAccount({ ...deps, record: async () => undefined }, { name, plan: undefined }, NOW_MS);
    const operators = [await newAccount('one'), await newAccount('other')];
    for (const accountId of operators) await setOperates(deps, { accountId, operates: true });
    const customer = await newAccount('customer');
    const recordsOf = async (accountId: string) =>
      (await listAudit(store(), accountId, { limit: 10 })).records.map(
        ({ action, outcome, subject, tokenId, requestId }) => ({
          action,
          outcome,
          subject,
          tokenId,
          isOfCommand: requestId.startsWith('cmd_'),
        }),
      );
    const announce = async (): Promise<string> => {
      const from = new Date(START_MS).toISOString();
      const work = await run(['planned-work', 'announce', '--from', from, '--for', '1m', '--note', 'a disk']);
      return String(work.work_id);
    };
    return { operators, customer, recordsOf, announce, run };
  }

  test('are in the audit logs of the accounts that operate the server, each once, and in no other', async () => {
    const { operators, customer, recordsOf, announce, run } = await setUp();
    const id = await announce();
    for (const nowMs of [NOW_MS, NOW_MS + 1]) await run(['planned-work', 'cancel', id], nowMs);
    const record = { outcome: 'ok', subject: id, isOfCommand: true };
    for (const operator of operators)
      expect(await recordsOf(operator)).toMatchObject([
        { ...record, action: 'cancelwork' },
        { ...record, action: 'announcework' },
      ]);
    expect(await recordsOf(customer)).toEqual([]);
  });

  test('that are refused leave no record', async () => {
    const { operators, recordsOf, announce, run } = await setUp();
    const id = await announce();
    await expect(run(['planned-work', 'cancel', id], START_MS)).rejects.toMatchObject({
      code: 'plannedWorkBegun',
    });
    expect(await recordsOf(operators[0] ?? '')).toMatchObject([{ action: 'announcework' }]);
  });
});
