import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listAudit } from '../../src/account/audit/list-audit.ts';
import { findAccount } from '../../src/account/find-account.ts';
import { requestLimit } from '../../src/account/limit-requests.ts';
import { isOperatorRequest, readOperatorRequest } from '../../src/admin/operator-request.ts';
import { serveOperators } from '../../src/admin/serve-operators.ts';
import { loadPlanBook } from '../../src/account/plans.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { describeStores } from '../store/backends.ts';
import { newAccountDeps } from './account-deps.ts';

function readLine(request: object) {
  const sent = JSON.parse(JSON.stringify(request)) as Readonly<Record<string, unknown>>;
  if (!isOperatorRequest(sent)) throw new Error('no command about operators');
  return readOperatorRequest(sent);
}

describeStores('commands about operators', (backend) => {
  const store = backend.emptied();

  async function setUp() {
    const deps = { ...newAccountDeps(), store: store(), plans: await loadPlanBook(store()) };
    const ask = async (request: object) =>
      JSON.parse(JSON.stringify(await serveOperators(deps, readLine(request), NOW_MS))) as Record<
        string,
        unknown
      >;
    const actionsOf = async (account: string) => {
      const { records } = await listAudit(store(), await findAccount(store(), account), { limit: 10 });
      return records.map(({ action, tokenId, requestId }) => [action, tokenId, /^cmd_/.test(requestId)]);
    };
    const wanted = async (account: string) => ({
      ...{ accountId: await findAccount(store(), account), kind: 'wallet_use' as const },
      ...{ wanted: '500', reason: 'a sale' },
    });
    return { deps, ask, actionsOf, wanted };
  }

  test('create an account once, with its plan, that operates or not; each change is on record', async () => {
    const { ask, actionsOf } = await setUp();
    const made = await ask({ kind: 'accounts.create', account: 'acme', plan: 'production' });
    expect(made).toMatchObject({ account: 'acme', plan: 'production', operates: false });
    await expect(ask({ kind: 'accounts.create', account: 'acme' })).rejects.toMatchObject({
      code: 'accountNameTaken',
    });
    await ask({ kind: 'accounts.create', account: 'staff', operates: true });
    const shows = async (account: string) =>
      (await ask({ kind: 'accounts.operator.show', account })).operates;
    expect([await shows('acme'), await shows('staff')]).toEqual([false, true]);
    await ask({ kind: 'accounts.operator', account: 'staff', operates: false });
    expect(await shows('staff')).toBe(false);
    expect(await actionsOf('acme')).toEqual([['createaccount', null, true]]);
    expect(await actionsOf('staff')).toEqual([
      ['operate', null, true],
      ['operate', null, true],
      ['createaccount', null, true],
    ]);
  });

  test('list, grant and refuse requests for higher limits, with records in the log of the account', async () => {
    const { deps, ask, actionsOf, wanted } = await setUp();
    await ask({ kind: 'accounts.create', account: 'acme' });
    const [first, second] = [
      await requestLimit(deps, await wanted('acme'), NOW_MS),
      await requestLimit(deps, await wanted('acme'), NOW_MS + 1),
    ];
    const { limit_requests: open } = await ask({ kind: 'limits.requests' });
    expect(open).toMatchObject([
      { id: second.id, account: 'acme', limit: 'wallet_use', wanted: '500', reason: 'a sale' },
      { id: first.id },
    ]);
    expect(await ask({ kind: 'limits.grant', id: first.id })).toMatchObject({ state: 'granted' });
    expect(deps.useLimits.limitOf(await findAccount(store(), 'acme'), 1).burst).toBe(500);
    const refused = await ask({ kind: 'limits.refuse', id: second.id, reason: 'not now' });
    expect(refused).toMatchObject({ state: 'refused', answer: 'not now' });
    expect(await ask({ kind: 'limits.requests' })).toEqual({ limit_requests: [] });
    expect(await actionsOf('acme')).toEqual([
      ['refuselimitrequest', null, true],
      ['grantlimitrequest', null, true],
      ['createaccount', null, true],
    ]);
    await expect(ask({ kind: 'limits.grant', id: first.id })).rejects.toMatchObject({
      code: 'limitRequestDecided',
    });
    await expect(ask({ kind: 'limits.grant', id: randomUUID() })).rejects.toMatchObject({
      code: 'limitRequestNotFound',
    });
  });
});

test.each([
  [{ kind: 'accounts.create', account: 'development' }, 'reserved for the server'],
  [{ kind: 'accounts.create', account: 'A' }, 'name of an account'],
  [{ kind: 'accounts.create', account: 'a', plan: 'A b' }, '--plan must be'],
  [{ kind: 'limits.grant', id: 'x' }, 'There is no request for a higher limit with the id x'],
  [{ kind: 'limits.refuse', id: 'x' }, 'with the id x'],
  [{ kind: 'limits.refuse', id: randomUUID() }, 'the reason must have'],
])('%j is refused', (request, reason) => {
  expect(() => readLine(request)).toThrow(reason);
});
