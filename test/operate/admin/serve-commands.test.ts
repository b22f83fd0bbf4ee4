import { expect, test } from 'vitest';
import { findAccount } from '../../../src/account/accounts/find-account.ts';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { createServeCommand } from '../../../src/operate/admin/serve-commands.ts';
import { describeStores } from '../../store/backends.ts';
import { readAction } from '../../support/run-action.ts';
import { commandsOn, newCommandDeps } from './account-deps.ts';

const UNKNOWN = '4f8b1d0e-0000-4000-8000-000000000000';
const clock = { nowMs: () => 1_760_000_000_000 };
const gone = () =>
  Promise.reject(serviceError('storeUnavailable', { where: 'db', reason: 'gone', fault: 'unreachable' }));

const REFUSED: readonly (readonly [object, string])[] = [
  [{ kind: 'usage' }, 'since must be an instant'],
  [{ kind: 'usage', sinceMs: -1 }, 'since must be an instant'],
  [{ kind: 'usage', sinceMs: 0, by: 'toString' }, 'got "toString"'],
  [{ kind: 'usage', sinceMs: 0, account: 'nobody' }, 'There is no account nobody'],
  [{ kind: 'usage', sinceMs: 0, id: 'nonsense' }, 'no API key with the id nonsense'],
  [{ kind: 'usage', sinceMs: 0, id: UNKNOWN }, `no API key with the id ${UNKNOWN}`],
  [{ kind: 'keys.rotate', id: UNKNOWN, overlapMs: 31 * 86_400_000 }, '0s to 30d'],
  // Commands of other versions.
  [{ kind: 'plans.fly' }, 'does not know this command; it may run another version'],
  [{ kind: 'keys.create', account: 'acme' }, 'does not know this command; it may run another version'],
  [{ operation: 'fly' }, 'does not know this command; it may run another version'],
  [{ operation: 'toString' }, 'does not know this command; it may run another version'],
  // No member is signed in at the socket.
  [{ operation: 'changePassword', body: {} }, 'does not know this command'],
  [{ operation: 'createKey', account: 'Ac me', isNew: true, body: { name: 'k' } }, 'name of an account'],
  [{ operation: 'createKey', account: 'nobody', body: { name: 'k' } }, 'There is no account nobody'],
  [{ operation: 'createKey', body: { name: 'k' } }, 'createKey: expected an account'],
  [{ operation: 'createKey', account: 'acme', isNew: true, body: { name: '' } }, 'createKey: /name '],
  [
    { operation: 'putPlan', body: { name: 'a', requests_per_second: '1e3', burst: 'x' } },
    'putPlan: /requests_per_second ',
  ],
  [{ operation: 'listEntries', account: 'acme', query: { limit: 1.5 } }, 'from 1 to 1000, got 1.5'],
  [{ operation: 'listEntries', account: 'acme', query: { limit: 1, cursor: 'x' } }, 'query parameters'],
  [{ operation: 'listAuditRecords', account: 'acme', query: { limit: 1, since: 'x' } }, 'query parameters'],
  [{ operation: 'revokeKey', id: 'nonsense' }, 'no API key with the id nonsense'],
  [{ operation: 'revokeKey', id: UNKNOWN }, `no API key with the id ${UNKNOWN}`],
  [{ operation: 'deleteWebhook', id: UNKNOWN }, `There is no webhook with the id ${UNKNOWN}`],
];

describeStores('commands', (backend) => {
  const opened = backend.emptied();

  test.each([{ kind: 'keys.list' }, { operation: 'listPlans' }, { kind: 'usage', sinceMs: 0 }])(
    '%j says that the store does not answer, and why',
    async (request) => {
      const deps = await newCommandDeps(opened());
      const serve = createServeCommand({ ...deps, store: { ...opened(), ping: gone } }, clock);
      await expect(serve(request)).rejects.toMatchObject({ message: 'db: gone' });
    },
  );

  test('nodes are shown while the store does not answer', async () => {
    const deps = await newCommandDeps(opened());
    const serve = createServeCommand({ ...deps, store: { ...opened(), ping: gone } }, clock);
    expect(await serve({ kind: 'nodes' })).toEqual({ networks: [] });
  });

  test('usage stores what is counted before it reads', async () => {
    const done: string[] = [];
    const flushUsage = async (): Promise<void> => void done.push('flushed');
    const deps = { ...(await newCommandDeps(opened())), flushUsage };
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
    const run = commandsOn(await newCommandDeps(opened()));
    await run(['keys', 'create', '--account', 'acme']);
    const developer = { name: 'developer', requests_per_second: 100, burst: 500, source: 'spec' };
    expect(await run(['plans', 'set', 'developer'])).toEqual(developer);
    expect(await run(['plans', 'assign', 'acme'])).toEqual({ account: 'acme', plan: developer });
    const gold = await run(['plans', 'set', 'gold', '--requests-per-second', '20', '--burst', '40']);
    const assigned = await run(['plans', 'assign', 'acme', 'gold']);
    expect(await run(['plans', 'set', 'gold'])).toEqual(gold);
    expect(await run(['plans', 'assign', 'acme'])).toEqual(assigned);
    await expect(run(['plans', 'set', 'silver'])).rejects.toThrow(
      'There is no plan silver; expected one of developer, development, gold, production',
    );
    await expect(run(['plans', 'assign', 'nobody'])).rejects.toThrow('There is no account nobody');
    await expect(run(['plans', 'assign', 'acme', 'silver'])).rejects.toThrow('There is no plan silver');
    await expect(run(['plans', 'remove', 'developer'])).rejects.toThrow('nothing to remove');
    expect(() => readAction(['plans', 'assign', 'acme', 'Gold'])).toThrow('the name of a plan must have');
  });

  test('a key is created, listed with its plan, rotated and revoked in the form of before', async () => {
    const deps = await newCommandDeps(opened());
    const run = commandsOn(deps);
    const words = ['keys', 'create', '--account', 'acme', '--name', 'web', '--cidr', '10.0.0.0/8'];
    const made = await run(words);
    expect(made).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^ks_key_/),
      name: 'web',
      account: 'acme',
      plan: 'developer',
      created_at: expect.any(String),
      origins: [],
      cidrs: ['10.0.0.0/8'],
      ...{ networks: [], methods: [], requests_per_second: null, requests_per_day: null },
      expires_at: null,
    });
    const next = await run(['keys', 'rotate', String(made.id), '--overlap', '1h']);
    expect(next).toMatchObject({ name: 'web', replaces: { id: made.id } });
    expect(await run(['keys', 'revoke', String(next.id)])).toMatchObject({ id: next.id });
    const { keys } = await run(['keys', 'list', '--account', 'acme']);
    expect(keys).toHaveLength(2);
    expect(keys).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: made.id, state: 'valid', plan: 'developer', revoked_at: null }),
        expect.objectContaining({ id: next.id, state: 'revoked', expires_at: null }),
      ]),
    );
    // As before, the log of the account has what it did itself.
    const accountId = await findAccount(opened(), 'acme');
    expect((await listAudit(opened(), accountId, { limit: 10 })).records).toEqual([]);
  });

  test('a webhook may lead anywhere; its changes are in the log of its account', async () => {
    const deps = await newCommandDeps(opened());
    const run = commandsOn(deps);
    await run(['accounts', 'create', 'acme']);
    const create = ['webhooks', 'create', 'acme', '--name', 'in', '--url', 'http://127.0.0.1:9'];
    const { secret, ...made } = await run(create);
    expect(secret).toMatch(/^whsec_/);
    expect(made).toEqual({
      id: expect.any(String),
      name: 'in',
      url: 'http://127.0.0.1:9/',
      events: [],
      ordered: false,
      state: 'active',
      position: expect.any(Number),
      waiting: 0,
      created_at: expect.any(String),
    });
    expect(await run(['webhooks', 'set', String(made.id), '--off'])).toMatchObject({ state: 'turned_off' });
    expect(await run(['webhooks', 'list', 'acme'])).toMatchObject({ webhooks: [{ id: made.id }] });
    const address = ['--address', '11111111111111111111111111111111'];
    await expect(run([...create, ...address])).rejects.toThrow(
      'need a running server, which knows the ledgers',
    );
    const ledgers = { networks: ['solana-localnet'], startOf: async () => undefined };
    const served = commandsOn({ ...deps, ledgers });
    await expect(served([...create, ...address, '--network', 'solana-devnet'])).rejects.toThrow(
      '--network must be one of solana-localnet; got solana-devnet',
    );
    expect(await served([...create, ...address])).toMatchObject({
      ledger: { network: 'solana-localnet', slot: null },
    });
    const { records } = await run(['audit', 'list', 'acme']);
    expect(records).toMatchObject([
      { action: 'createwebhook' },
      {
        action: 'updatewebhook',
        subject: made.id,
        token_id: null,
        request_id: expect.stringMatching(/^cmd_/),
      },
      { action: 'createwebhook' },
      { action: 'createaccount' },
    ]);
    await expect(run(['audit', 'list', 'acme', '--token', UNKNOWN])).rejects.toThrow(
      `no access token with the id ${UNKNOWN}`,
    );
  });

  test('what is asked for and is not there, or is no command, is refused with the reason', async () => {
    const deps = await newCommandDeps(opened());
    const serve = createServeCommand(deps, clock);
    await serve({ operation: 'createAccount', body: { name: 'acme' } });
    for (const [request, reason] of REFUSED) await expect(serve(request)).rejects.toThrow(reason);
  });
});
