import { expect, test } from 'vitest';
import { Keyring } from '../../src/account/keyring.ts';
import { PlanBook } from '../../src/account/plan-book.ts';
import { createServeCommand } from '../../src/admin/serve-commands.ts';
import { serviceError } from '../../src/base/service-error.ts';
import { newAccountDeps } from './account-deps.ts';
import { describeStores } from '../store/backends.ts';

const UNKNOWN_KEY = '4f8b1d0e-0000-4000-8000-000000000000';
const clock = { nowMs: () => 1_760_000_000_000 };
const flushUsage = (): Promise<void> => Promise.resolve();

const REFUSED: readonly (readonly [object, string])[] = [
  [{ kind: 'usage' }, 'since must be an instant'],
  [{ kind: 'usage', sinceMs: -1 }, 'since must be an instant'],
  [{ kind: 'usage', sinceMs: 0, by: 'toString' }, 'got "toString"'],
  [{ kind: 'plans.set', name: 'a', requestsPerSecond: '1e3', burst: 'x' }, 'burst is NaN'],
  [{ kind: 'plans.fly' }, 'does not know this command'],
  [{ kind: 'plans.assign', account: 'a' }, 'the name of a plan must have'],
  [{ kind: 'plans.assigned', account: 'acme' }, 'There is no account acme'],
  [
    { kind: 'plans.show', name: 'gold' },
    'There is no plan gold; expected one of developer, development, production',
  ],
  [{ kind: 'plans.assign', account: 'acme', plan: 'developer' }, 'There is no account acme'],
  [{ kind: 'plans.assign', account: 'acme', plan: 'gold' }, 'There is no plan gold'],
  [{ kind: 'plans.remove', name: 'developer' }, 'nothing to remove'],
  [{ kind: 'usage', sinceMs: 0, account: 'nobody' }, 'There is no account nobody'],
  [{ kind: 'usage', sinceMs: 0, id: 'nonsense' }, 'no API key with the id nonsense'],
  [{ kind: 'entries.list', account: 'acme' }, 'from 1 to 1000, got undefined'],
  [{ kind: 'entries.list', account: 'acme', limit: 1.5 }, 'from 1 to 1000, got 1.5'],
  [{ kind: 'entries.list', account: 'acme', limit: 1, sinceMs: '0' }, 'since must be an instant'],
  [{ kind: 'audit.list', account: 'acme', limit: 1, untilMs: 9e15 }, 'until must be an instant'],
  [{ kind: 'audit.list', account: 'acme', limit: 1, cursor: 7 }, 'got 7'],
  [{ kind: 'audit.list', account: 'nobody', limit: 1 }, 'There is no account nobody'],
  [{ kind: 'usage', sinceMs: 0, id: UNKNOWN_KEY }, `no API key with the id ${UNKNOWN_KEY}`],
];

describeStores('commands', (backend) => {
  const opened = backend.emptied();

  test.each([{ kind: 'keys.list' }, { kind: 'plans.list' }, { kind: 'usage', sinceMs: 0 }])(
    '$kind says that the store does not answer, and why',
    async (request) => {
      const store = opened();
      const ping = () =>
        Promise.reject(
          serviceError('storeUnavailable', { where: 'db', reason: 'gone', fault: 'unreachable' }),
        );
      const deps = {
        store: { ...store, ping },
        keyring: new Keyring(),
        plans: new PlanBook(),
        flushUsage,
        ...newAccountDeps(),
      };
      await expect(createServeCommand(deps, clock)(request)).rejects.toMatchObject({ message: 'db: gone' });
    },
  );

  test('nodes are shown while the store does not answer', async () => {
    const ping = () =>
      Promise.reject(serviceError('storeUnavailable', { where: 'db', reason: 'gone', fault: 'unreachable' }));
    const deps = {
      ...{ keyring: new Keyring(), plans: new PlanBook(), flushUsage },
      ...newAccountDeps(),
      store: { ...opened(), ping },
    };
    expect(await createServeCommand(deps, clock)({ kind: 'nodes' })).toEqual({ networks: [] });
  });

  test('usage stores what is counted before it reads', async () => {
    const store = opened();
    const done: string[] = [];
    const flush = async (): Promise<void> => void done.push('flushed');
    const deps = {
      store,
      keyring: new Keyring(),
      plans: new PlanBook(),
      flushUsage: flush,
      ...newAccountDeps(),
    };
    expect(await createServeCommand(deps, clock)({ kind: 'usage', sinceMs: 61_000 })).toEqual({
      since: new Date(60_000),
      by: 'key',
      account: null,
      key: null,
      rows: [],
      wallets: { by: 'token', rows: [] },
    });
    expect(done).toEqual(['flushed']);
  });

  test('a plan, and the plan of an account, are shown in the form in which they are set', async () => {
    const store = opened();
    const deps = {
      ...{ store, keyring: new Keyring(), plans: new PlanBook(), flushUsage },
      ...newAccountDeps(),
    };
    const serve = createServeCommand(deps, clock);
    await serve({ kind: 'keys.create', account: 'acme' });
    const developer = { name: 'developer', requests_per_second: 100, burst: 500, source: 'spec' };
    expect(await serve({ kind: 'plans.show', name: 'developer' })).toEqual(developer);
    expect(await serve({ kind: 'plans.assigned', account: 'acme' })).toEqual({
      account: 'acme',
      plan: developer,
    });
    const gold = await serve({ kind: 'plans.set', name: 'gold', requestsPerSecond: 20, burst: 40 });
    const assigned = await serve({ kind: 'plans.assign', account: 'acme', plan: 'gold' });
    expect(await serve({ kind: 'plans.show', name: 'gold' })).toEqual(gold);
    expect(await serve({ kind: 'plans.assigned', account: 'acme' })).toEqual(assigned);
  });

  test('what is asked for and is not there, or is no command, is refused with the reason', async () => {
    const store = opened();
    const deps = {
      store,
      keyring: new Keyring(),
      plans: new PlanBook(),
      flushUsage,
      ...newAccountDeps(),
    };
    const serve = createServeCommand(deps, clock);
    for (const [request, reason] of REFUSED) await expect(serve(request)).rejects.toThrow(reason);
  });
});
