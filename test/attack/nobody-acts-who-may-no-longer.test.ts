import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OperationId, OPERATIONS } from '../../generated/account/operations.ts';
import { listAudit } from '../../src/account/audit/list-audit.ts';
import type { ToldMembers } from '../../src/account/email/member-mail.ts';
import { listInvitations } from '../../src/account/identity/members/invitations.ts';
import { beginMemberFactor } from '../../src/account/identity/members/member-factor.ts';
import { type SessionHolder, signOut } from '../../src/account/identity/members/sessions.ts';
import { setOperates } from '../../src/account/identity/operators.ts';
import { createToken, revokeToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { eq } from '../../src/store/drizzle.ts';
import { members, setupLinks } from '../../src/store/member-tables.ts';
import type { Store } from '../../src/store/open-store.ts';
import {
  at,
  memberWorld,
  newEmail,
  PASSWORD,
  refusal,
  STEP_MS,
} from '../account/identity/members/member-world.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { openOperatorWorld } from '../account/api/operator-world.ts';
import { describeStores } from '../store/backends.ts';
import { type Asked, type Call, HOOK, key, type Prepare, REQUESTS, webhook } from './changing-requests.ts';

// A request is let in by its session or its token, and what it changes is written later. A member that lost the right in between changes nothing.

type Left = Readonly<Record<'keys' | 'tokens' | 'webhooks', readonly Readonly<Record<string, string>>[]>>;
type World = Awaited<ReturnType<typeof openWorld>>;
type Actor = Awaited<ReturnType<World['newActor']>>;

/** An account that operates the server and has two owners, and a customer. */
async function openWorld(store: Store, onEnd: (close: () => Promise<void>) => void) {
  const { deps, freshOwner, newMember, enter, enrol, holderOf } = memberWorld(store);
  const operators = await openOperatorWorld(store, { members: deps, onEnd });
  const other = await freshOwner();
  await setOperates(operators.deps, { accountId: other.accountId, operates: true });
  const callAs = (session: SessionHolder) => operators.asMember(session) as unknown as Call;
  /** Another owner, in a session that is fresh. */
  const newActor = async () => {
    const { memberId, email } = await newMember(other.holder, 'owner');
    const { codeAt, token } = await enrol((await enter(email)).token);
    const session = await holderOf(token);
    const { secret } = await beginMemberFactor(deps, session, PASSWORD, at());
    const draft = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: NOW_MS });
    const confirmation = codeAt(NOW_MS + STEP_MS);
    return { memberId, email, draft, confirmation, session, call: callAs(session) };
  };
  const call = callAs(await holderOf(other.token));
  /** A second account of a login. */
  const joinAnother = async ({ userId }: SessionHolder) => {
    const { accountId } = await freshOwner();
    const row = { id: randomUUID(), accountId, userId, role: 'viewer', createdAt: new Date(NOW_MS) } as const;
    await store.db.insert(members).values(row);
    return accountId;
  };
  return {
    store,
    deps,
    operators,
    other,
    call,
    newActor,
    joinAnother,
    nowMs: NOW_MS,
    customer: operators.customer,
  };
}

/** The ways in which an owner loses the right to act, and the answer to a request admitted before. */
const LOSSES: readonly (readonly [string, string, (world: World, actor: Actor) => Promise<unknown>])[] = [
  ['removed', 'sessionInvalid', ({ call }, { memberId: id }) => call('removeMember', { id })],
  [
    'demoted',
    'roleInsufficient',
    ({ call }, { memberId: id }) => call('changeRole', { id, body: { role: 'viewer' } }),
  ],
  ['signed out', 'sessionInvalid', ({ deps }, { session }) => signOut(deps, session, at())],
];

test('every operation of an account that changes something is tried', () => {
  const changing = Object.entries(OPERATIONS).filter(
    ([, { method, auth }]) => method !== 'GET' && auth.length > 0,
  );
  expect(Object.keys(REQUESTS).sort()).toEqual(changing.map(([name]) => name).sort());
});

describeStores('a request that was let in', (backend) => {
  const store = backend.shared();
  const ends: (() => Promise<void>)[] = [];
  let world: World;
  let lost: { readonly code: string; readonly actor: Actor }[] = [];
  let revoked: Call;

  beforeAll(async () => {
    world = await openWorld(store(), (close) => ends.push(close));
    const { operators, other } = world;
    lost = [];
    for (const [, code, lose] of LOSSES) {
      const actor = await world.newActor();
      await lose(world, actor);
      lost.push({ code, actor });
    }
    const token = { accountId: other.accountId, name: 't', scopes: SCOPES, expiresAtMs: undefined };
    const { id } = await createToken(operators.deps, token, NOW_MS);
    await revokeToken(operators.deps, id, NOW_MS);
    revoked = operators.asToken(other.accountId, id) as unknown as Call;
  });
  afterAll(() => Promise.all(ends.map((end) => end())));

  test.each(Object.entries(REQUESTS) as [OperationId, Prepare][])(
    'changes nothing for a sender who may no longer: %s',
    async (operation, prepare) => {
      const live = await world.newActor();
      const asked = await prepare(world, live);
      for (const { code, actor } of lost) {
        // A code counts for its own login.
        const own = operation === 'confirmSecondFactor' ? await prepare(world, actor) : asked;
        expect(await refusal(actor.call(operation, own))).toBe(code);
      }
      if (OPERATIONS[operation].auth.some((one: string) => one === 'token'))
        expect(await refusal(revoked(operation, asked))).toBe('tokenRevoked');
      expect(await refusal(live.call(operation, asked))).toBe('none');
    },
  );

  test.each(LOSSES.slice(0, 2))(
    'leaves no invitation open of an owner who is %s meanwhile',
    async (_loss, _code, lose) => {
      const [actor, { accountId }] = [await world.newActor(), world.other];
      const before = await listInvitations(world.deps, accountId, NOW_MS);
      const asked = () => ({ body: { email: newEmail(), role: 'owner' } });
      const all = Array.from({ length: 10 }, () => refusal(actor.call('createInvitation', asked())));
      await Promise.all([...all, lose(world, actor)]);
      expect(await listInvitations(world.deps, accountId, NOW_MS)).toEqual(before);
    },
  );

  test('leaves no set-up link behind; the keys and tokens that its sender made are listed at the removal', async () => {
    const { call, customer, newActor } = world;
    const actor = await newActor();
    const key = await actor.call('createKey', { body: { name: 'mine' } });
    const token = await actor.call('createToken', { body: { name: 'my token', scopes: ['wallets:read'] } });
    await actor.call('revokeKey', { id: (await actor.call('createKey', { body: { name: 'gone' } })).key_id });
    await call('createKey', { body: { name: 'of another' } });
    await actor.call('createAccountSetupLink', { id: customer });
    const links = () => store().db.select().from(setupLinks).where(eq(setupLinks.accountId, customer));
    expect(await links()).toHaveLength(1);
    expect(await call('removeMember', { id: actor.memberId })).toMatchObject({
      keys: [{ key_id: key.key_id, name: 'mine' }],
      tokens: [{ token_id: token.token_id, name: 'my token' }],
    });
    expect(await links()).toEqual([]);
  });

  describe.each([
    ['removal', (id: string) => world.call('removeMember', { id })],
    ['demotion', (id: string) => world.call('changeRole', { id, body: { role: 'viewer' } })],
  ])('the answer to a %s lists what still works', (loss, lose) => {
    const scopes = ['tokens:manage', 'keys:manage', 'webhooks:manage', 'audit:read'] as const;

    test('that was made with a token of the member, and so on, also where that token was revoked', async () => {
      const { operators, other, call, newActor } = world;
      const actor = await newActor();
      const id = async (made: Promise<Readonly<Record<string, string>>>, name: string) =>
        (await made)[name] ?? '';
      const first = await id(actor.call('createToken', { body: { name: 'first', scopes } }), 'token_id');
      const byFirst = operators.asToken(other.accountId, first) as unknown as Call;
      const second = await id(byFirst('createToken', { body: { name: 'second', scopes } }), 'token_id');
      const bySecond = operators.asToken(other.accountId, second) as unknown as Call;
      const third = await id(bySecond('createToken', { body: { name: 'third', scopes } }), 'token_id');
      await bySecond('createKey', { body: { name: 'by second' } });
      const shared = await id(call('createKey', { body: { name: `shared, ${loss}` } }), 'key_id');
      await bySecond('rotateKey', { id: shared, body: { overlap_seconds: 0 } });
      await call('createKey', { body: { name: 'of another' } });
      await call('revokeToken', { id: first });
      await call('revokeToken', { id: second });
      const left = (await lose(actor.memberId)) as unknown as Left;
      expect(left.tokens).toEqual([{ token_id: third, name: 'third' }]);
      expect(left.keys.map(({ name }) => name).sort()).toEqual(['by second', `shared, ${loss}`]);
    });

    test('as webhooks that the member made, changed or knows the secret of', async () => {
      const { operators, other, call, newActor } = world;
      const actor = await newActor();
      const made = await actor.call('createWebhook', { body: { ...HOOK, name: 'made' } });
      const { token_id = '' } = await actor.call('createToken', { body: { name: 't', scopes } });
      const byToken = operators.asToken(other.accountId, token_id) as unknown as Call;
      await byToken('createWebhook', { body: { ...HOOK, name: 'by token' } });
      const [changed, rotated] = [await webhook(world), await webhook(world)];
      await actor.call('updateWebhook', { ...changed, body: { name: 'changed', url: `${HOOK.url}his` } });
      await byToken('rotateWebhookSecret', { ...rotated, body: { overlap_seconds: 0 } });
      await actor.call('testWebhook', await webhook(world));
      const gone = await actor.call('createWebhook', { body: { ...HOOK, name: 'gone' } });
      await call('deleteWebhook', { id: gone.webhook_id });
      const left = (await lose(actor.memberId)) as unknown as Left;
      expect(left.webhooks).toHaveLength(4);
      expect(left.webhooks).toEqual(
        expect.arrayContaining([
          { webhook_id: made.webhook_id, name: 'made', url: HOOK.url },
          { webhook_id: changed.id, name: 'changed', url: `${HOOK.url}his` },
          { webhook_id: rotated.id, name: 'hook', url: HOOK.url },
          expect.objectContaining({ name: 'by token' }),
        ]),
      );
      for (const { webhook_id: id = '' } of left.webhooks) await call('deleteWebhook', { id });
    });
  });

  test('keys of a leaving member that still work are in the audit log and an email to the owners; without any there is neither', async () => {
    const { operators, other, newActor } = world;
    const told: ToldMembers[] = [];
    const mail = { tellMembers: async (_tx: unknown, one: ToldMembers) => void told.push(one) };
    Object.assign(operators.deps, { mail });
    const leave = async (actor: Actor) => {
      await actor.call('leaveAccount');
      const { records } = await listAudit(store(), other.accountId, { limit: 100 });
      const ofMember = records.filter(({ memberId }) => memberId === actor.memberId);
      return ofMember.map(({ action, subject }) => ({ action, subject }));
    };
    const actor = await newActor();
    const made = [
      (await actor.call('createKey', { body: { name: 'mine' } })).key_id,
      (await actor.call('createToken', { body: { name: 'mine', scopes: ['wallets:read'] } })).token_id,
      (await actor.call('createWebhook', { body: HOOK })).webhook_id,
    ];
    await actor.call('revokeKey', { id: (await actor.call('createKey', { body: { name: 'gone' } })).key_id });
    const records = await leave(actor);
    expect(records.slice(0, 4)).toEqual([
      ...made.toReversed().map((subject) => ({ action: 'member.leave_behind', subject })),
      { action: 'member.remove', subject: actor.memberId },
    ]);
    expect(told).toMatchObject([
      { accountId: other.accountId, kind: 'membership', roles: new Set(['owner']) },
    ]);
    const text = told[0]?.mailOf('owner@example.com', 'acme').text;
    expect(text).toContain('1 API keys, 1 access tokens and 1 webhooks continue to work');

    const idle = await newActor();
    expect((await leave(idle))[0]).toEqual({ action: 'member.remove', subject: idle.memberId });
    expect(told).toHaveLength(1);
  });

  test('a role that allows no less answers with nothing', async () => {
    const { call, newActor } = world;
    const { memberId: id, call: byActor } = await newActor();
    await byActor('createKey', { body: { name: 'mine' } });
    const nothing = { keys: [], tokens: [], webhooks: [] };
    expect(await call('changeRole', { id, body: { role: 'owner' } })).toMatchObject(nothing);
    expect(await call('changeRole', { id, body: { role: 'billing' } })).toMatchObject({
      ...nothing,
      keys: [{ name: 'mine' }],
    });
    expect(await call('changeRole', { id, body: { role: 'owner' } })).toMatchObject(nothing);
  });

  test('a token that expires makes no token and no key that works for longer', async () => {
    const { operators, other, call } = world;
    const end = new Date(NOW_MS + 3_600_000).toISOString();
    const scopes = ['tokens:manage', 'keys:manage'] as const;
    const wanted = { accountId: other.accountId, name: 't', scopes, expiresAtMs: Date.parse(end) };
    const { id } = await createToken(operators.deps, wanted, NOW_MS);
    const byToken = operators.asToken(other.accountId, id) as unknown as Call;

    const named = { name: 'child', scopes };
    const asked = (seconds: number) => ({ body: { ...named, expires_in_seconds: seconds } });
    expect(await byToken('createToken', { body: named })).toMatchObject({ expires_at: end });
    expect(await byToken('createToken', asked(3_600))).toMatchObject({ expires_at: end });
    expect(await byToken('createToken', asked(3_599))).not.toMatchObject({ expires_at: end });
    const until = new Date(NOW_MS + 3_601_000).toISOString();
    const tooLong = { code: 'outlivesToken', context: { until, expiresAt: end } };
    await expect(byToken('createToken', asked(3_601))).rejects.toMatchObject(tooLong);

    const { key_id, api_key, ...made } = await byToken('createKey', { body: { name: 'k' } });
    expect(made).toMatchObject({ state: 'active', expires_at: end });
    const kindAt = (nowMs: number) => operators.deps.keyring.find(api_key ?? '', nowMs).kind;
    expect([kindAt(Date.parse(end) - 1), kindAt(Date.parse(end))]).toEqual(['valid', 'expired']);

    const endless = await key(world);
    const forGood = { code: 'outlivesToken', context: { until: 'it is revoked', expiresAt: end } };
    await expect(byToken('rotateKey', endless)).rejects.toMatchObject(forGood);
    const body = { overlap_seconds: 86_400 };
    const next = await byToken('rotateKey', { id: key_id, body });
    expect(next).toMatchObject({ expires_at: end, old_works_until: end });
    // A session is bound by no token.
    const last = await call('rotateKey', { id: next.key_id, body });
    expect(last).toMatchObject({ old_works_until: end });
    expect(last).not.toHaveProperty('expires_at');
    expect(await refusal(byToken('rotateKey', { id: last.key_id, body }))).toBe('outlivesToken');
    const { keys } = (await call('listKeys', { query: {} } as Asked)) as unknown as Left;
    const states = new Map(keys.map((one) => [one.key_id, one.state]));
    expect([key_id, next.key_id, last.key_id].map((one) => states.get(one))).toEqual([
      ...['rotated', 'rotated', 'active'],
    ]);
  });
});
