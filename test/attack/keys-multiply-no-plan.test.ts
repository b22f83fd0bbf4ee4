import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApiKey } from '../../src/account/identity/api-keys/api-keys.ts';
import { Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { openSessionCredentials } from '../../src/account/identity/members/session-credentials.ts';
import type { SessionHolder } from '../../src/account/identity/members/sessions.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { TokenRing } from '../../src/account/identity/tokens/token-ring.ts';
import { createAdmission } from '../../src/server/access/admission.ts';
import { createMemoryRateLimit } from '../../src/server/access/rate-limit.ts';
import { weighMethod } from '../../src/server/access/weigh.ts';
import { memberWorld } from '../account/identity/members/member-world.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { openOperatorWorld } from '../account/api/operator-world.ts';
import { describeStores } from '../store/backends.ts';

// A plan holds for each key: without a limit of their number, an account with a thousand keys has its plan a thousand times.

const PLAN = { name: 'small', requestsPerSecond: 10, burst: 30 };
const ORIGINS = { name: 'more', allowed_origins: [], allowed_cidrs: [] };

function codesOf(settled: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return settled.map((each) =>
    each.status === 'fulfilled' ? 'made' : (each.reason as { code?: unknown }).code,
  );
}

/** As many as asked for at once, in the order of their outcomes. */
const race = async (count: number, work: () => Promise<unknown>) =>
  codesOf(await Promise.allSettled(Array.from({ length: count }, work))).toSorted();

test('an account that makes, uses and revokes keys one after the other has its plan ten times at most', async () => {
  const keyring = new Keyring();
  const admission = createAdmission({
    rateLimit: createMemoryRateLimit(() => 0),
    planOf: () => PLAN,
    network: 'n',
    fullRateKeys: 10,
    countKeys: (id) => keyring.countOf(id),
    count: () => undefined,
    onRefusal: () => undefined,
  });
  let served = 0;
  for (let made = 0; made < 1_000; made++) {
    const keyId = randomUUID();
    const digest = Buffer.from(keyId.replaceAll('-', ''), 'hex');
    const ends = { isRevoked: false, expiresAtMs: undefined, checkSource: undefined };
    keyring.put({ keyId, accountId: 'a1', digest, ...ends });
    for (let calls = 0; calls < PLAN.burst; calls++) {
      const { refusal } = await admission.admit({ keyId, accountId: 'a1' }, [weighMethod('getSlot')]);
      if (refusal === undefined) served++;
    }
    keyring.revoke(keyId);
  }
  // The first ten keys had their plan each, before there were more.
  expect(served).toBe(20 * PLAN.burst);
});

describeStores('the sessions of members', (backend) => {
  const store = backend.shared();

  /** The gate for keys of sessions and of programs, as in the server. */
  async function openGate() {
    const keyring = new Keyring();
    const clock = { nowMs: () => NOW_MS };
    const credentials = await openSessionCredentials({
      store: store(),
      ownId: randomUUID(),
      keyring,
      tokens: new TokenRing(),
      clock,
      log: pino({ level: 'silent' }),
    });
    onTestFinished(credentials.close);
    const admission = createAdmission({
      rateLimit: createMemoryRateLimit(() => 0),
      planOf: () => PLAN,
      network: 'n',
      fullRateKeys: 10,
      countKeys: (id) => keyring.countOf(id),
      memberOf: credentials.memberOf,
      count: () => undefined,
      onRefusal: () => undefined,
    });
    /** Returns how many calls are served with a new key of a session, of as many as the plan allows. */
    const useSession = async (holder: SessionHolder) => {
      const { apiKey } = await credentials.create(store(), holder, []);
      const found = keyring.find(apiKey, NOW_MS);
      return found.kind === 'valid' ? use(found) : 0;
    };
    const use = async ({ keyId, accountId }: { readonly keyId: string; readonly accountId: string }) => {
      let served = 0;
      for (let calls = 0; calls < PLAN.burst; calls++) {
        const { refusal } = await admission.admit({ keyId, accountId }, [weighMethod('getSlot')]);
        if (refusal === undefined) served++;
      }
      return served;
    };
    return { keyring, use, useSession };
  }

  test('take nothing from the keys of programs, and give a member one plan, however often the member signs in', async () => {
    const { freshOwner, newMember, enter, holderOf } = memberWorld(store());
    const owner = await freshOwner();
    const { email } = await newMember(owner.holder, 'viewer');
    const { keyring, use, useSession } = await openGate();
    const { accountId } = owner;
    let served = 0;
    for (let signedIn = 0; signedIn < 3; signedIn++) {
      const session = await holderOf((await enter(email)).token);
      for (let made = 0; made < 5; made++) served += await useSession(session);
    }
    expect(served).toBe(PLAN.burst);
    expect(keyring.countOf(accountId)).toBe(0);
    for (let program = 0; program < 10; program++)
      expect(await use({ keyId: `program ${program}`, accountId })).toBe(PLAN.burst);
    expect(await useSession(owner.holder)).toBe(PLAN.burst);
  });

  test('of many members of an account have ten plans together', async () => {
    const { freshOwner } = memberWorld(store());
    const { holder, accountId } = await freshOwner();
    const { use, useSession } = await openGate();
    let served = 0;
    for (let member = 0; member < 15; member++)
      served += await useSession({ ...holder, memberId: `member ${member}`, sessionId: `session ${member}` });
    expect(served).toBe(10 * PLAN.burst);
    expect(await use({ keyId: 'program', accountId })).toBe(PLAN.burst);
  });
});

describeStores('an account', (backend) => {
  const store = backend.emptied();

  const openCustomer = async () => {
    const world = await openOperatorWorld(store(), { bounds: { max_keys: 5, max_tokens: 5 } });
    const { deps, customer, asToken } = world;
    const all = { accountId: customer, name: 'all', scopes: SCOPES, expiresAtMs: undefined };
    const { id } = await createToken(deps, { ...all, scopes: ['keys:manage', 'tokens:manage'] }, NOW_MS);
    return { ...world, call: asToken(customer, id), limit: deps.bounds.max_keys };
  };

  test('has no more keys and tokens that work than it may, however many are asked for at once', async () => {
    const { call, limit, asOperator } = await openCustomer();
    const made: string[] = [];
    const makeKey = async () => made.push((await call('createKey', { body: ORIGINS })).key_id);
    expect(await race(limit + 5, makeKey)).toEqual([
      ...Array<string>(5).fill('keysTooMany'),
      ...Array<string>(limit).fill('made'),
    ]);
    await expect(makeKey()).rejects.toMatchObject({ context: { value: limit, limit } });
    const token = { name: 'more', scopes: ['keys:manage' as const] };
    // The customer has two tokens.
    expect(await race(limit, () => call('createToken', { body: token }))).toEqual([
      ...['made', 'made', 'made'],
      ...['tokensTooMany', 'tokensTooMany'],
    ]);
    expect(await asOperator('createKey', { body: ORIGINS })).toMatchObject({ name: 'more' });
    await call('revokeKey', { id: made.pop() ?? '' });
    expect(await makeKey()).toBe(limit);
  });

  test('rotates every key, but not on and on with overlaps', async () => {
    const { call, limit } = await openCustomer();
    const rotate = async (id: string, seconds: number) =>
      (await call('rotateKey', { id, body: { overlap_seconds: seconds } })).key_id;
    let newest = '';
    for (let made = 0; made < limit; made++) newest = (await call('createKey', { body: ORIGINS })).key_id;
    newest = await rotate(newest, 0);
    for (let more = 0; more < limit; more++) newest = await rotate(newest, 3_600);
    await expect(rotate(newest, 3_600)).rejects.toMatchObject({
      code: 'keysTooMany',
      context: { value: 2 * limit, limit: 2 * limit },
    });
    expect(await rotate(newest, 0)).not.toBe('');
  });

  test('that has more keys than it may keeps them, and the operator makes more', async () => {
    const { deps, customer, call, limit } = await openCustomer();
    const make = () => createApiKey(deps, { accountId: customer, name: 'old' }, NOW_MS);
    const { id, text } = await make();
    for (let made = 1; made < 2 * limit; made++) await make();
    await expect(call('createKey', { body: ORIGINS })).rejects.toMatchObject({
      context: { value: 2 * limit, limit },
    });
    expect(deps.keyring.find(text, NOW_MS)).toMatchObject({ kind: 'valid' });
    expect(await call('rotateKey', { id, body: { overlap_seconds: 0 } })).toMatchObject({ name: 'old' });
    await expect(make()).resolves.toBeDefined();
  });
});
