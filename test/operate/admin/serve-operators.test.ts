import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { findAccount } from '../../../src/account/accounts/find-account.ts';
import { requestLimit } from '../../../src/account/plans/limit-requests.ts';
import { NOW_MS } from '../../account/new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { readAction } from '../../support/run-action.ts';
import { commandsOn, newCommandDeps } from './account-deps.ts';

describeStores('commands about operators', (backend) => {
  const store = backend.emptied();

  async function setUp() {
    const deps = await newCommandDeps(store());
    const actionsOf = async (account: string) => {
      const { records } = await listAudit(store(), await findAccount(store(), account), { limit: 10 });
      return records.map(({ action, tokenId, requestId }) => [action, tokenId, /^cmd_/.test(requestId)]);
    };
    const wanted = async (account: string) => ({
      accountId: await findAccount(store(), account),
      kind: 'wallet_use' as const,
      wanted: '500',
      reason: 'a sale',
    });
    return { deps, run: commandsOn(deps), actionsOf, wanted };
  }

  test('create an account once, with its plan, that operates or not; each change is on record', async () => {
    const { run, actionsOf } = await setUp();
    const made = await run(['accounts', 'create', 'acme', '--plan', 'production']);
    expect(made).toMatchObject({ account: 'acme', plan: 'production', operates: false });
    await expect(run(['accounts', 'create', 'acme'])).rejects.toMatchObject({
      code: 'accountNameTaken',
    });
    await run(['accounts', 'create', 'staff', '--operator']);
    const shows = async (account: string) => (await run(['accounts', 'operator', account])).operates;
    expect([await shows('acme'), await shows('staff')]).toEqual([false, true]);
    await run(['accounts', 'operator', 'staff', '--off']);
    expect(await shows('staff')).toBe(false);
    expect(await actionsOf('acme')).toEqual([['createaccount', null, true]]);
    expect(await actionsOf('staff')).toEqual([
      ['operate', null, true],
      ['operate', null, true],
      ['createaccount', null, true],
    ]);
  });

  test('list, grant and refuse requests for higher limits, with records in the log of the account', async () => {
    const { deps, run, actionsOf, wanted } = await setUp();
    await run(['accounts', 'create', 'acme']);
    const [first, second] = [
      await requestLimit(deps, await wanted('acme'), NOW_MS),
      await requestLimit(deps, await wanted('acme'), NOW_MS + 1),
    ];
    const { limit_requests: open } = await run(['limits', 'requests']);
    expect(open).toMatchObject([
      { id: second.id, account: 'acme', limit: 'wallet_use', wanted: '500', reason: 'a sale' },
      { id: first.id },
    ]);
    expect(await run(['limits', 'grant', first.id])).toMatchObject({ state: 'granted' });
    expect(deps.useLimits.limitOf(await findAccount(store(), 'acme'), 1).burst).toBe(500);
    const refused = await run(['limits', 'refuse', second.id, '--reason', 'not now']);
    expect(refused).toMatchObject({ state: 'refused', answer: 'not now' });
    expect(await run(['limits', 'requests'])).toEqual({ limit_requests: [] });
    expect(await actionsOf('acme')).toEqual([
      ['refuselimitrequest', null, true],
      ['grantlimitrequest', null, true],
      ['createaccount', null, true],
    ]);
    await expect(run(['limits', 'grant', first.id])).rejects.toMatchObject({
      code: 'limitRequestDecided',
    });
    for (const id of [randomUUID(), 'x'])
      await expect(run(['limits', 'grant', id])).rejects.toMatchObject({ code: 'limitRequestNotFound' });
  });
});

test.each([
  [['accounts', 'create', 'development'], 'reserved for the server'],
  [['accounts', 'create', 'A'], 'name of an account'],
  [['accounts', 'create', 'a', '--plan', 'A b'], '--plan must be'],
  [['limits', 'refuse', 'x'], 'with the id x'],
  [['limits', 'refuse', randomUUID()], 'the reason must have'],
])('%j is refused', (words, reason) => {
  expect(() => readAction(words)).toThrow(reason);
});
