import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OperationId, OPERATIONS } from '../../generated/account/operations.ts';
import type { SessionHolder } from '../../src/account/identity/members/sessions.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { sessionCookieName } from '../../src/server/rest/session-cookie.ts';
import { eventually } from '../../src/core/eventually.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { and, asc, eq, ne, or } from '../../src/store/drizzle.ts';
import { members as memberRows } from '../../src/store/member-tables.ts';
import { openMembers, type TestMembers } from '../account/api/live/provision-members.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from '../gateways/start-gateways.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { command } from '../support/wallet-account.ts';
import { type Asked, type Call, type Prepare, REQUESTS } from './changing-requests.ts';

// As nobody-acts-who-may-no-longer, with two gateway processes on one PostgreSQL: what one of them takes away, the other knows in time.

const COOKIE = sessionCookieName('http://localhost');

type Headers = Readonly<Record<string, string>>;
type Answered = { readonly code: string; readonly body: Readonly<Record<string, string>> };
type ActorIds = { readonly memberId: string; readonly tokenId: string };
type World = Awaited<ReturnType<typeof openWorld>>;
type Actor = ActorIds & {
  /** The session, or the header of a program. */
  readonly by: string | Headers;
  readonly session: SessionHolder;
  readonly draft: string;
  readonly confirmation: string;
};

/** Sends a request of an operation, with a session unless other headers are given. The code of a success is `ok`. */
async function send(
  { baseUrl }: Gateway,
  session: string | Headers,
  operation: OperationId,
  { id = '', body }: Asked = {},
): Promise<Answered> {
  const { method, path } = OPERATIONS[operation];
  const headers = typeof session === 'string' ? { cookie: `${COOKIE}=${session}` } : session;
  return read(
    await fetch(`${baseUrl}${path.replace('{id}', encodeURIComponent(id))}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
}

async function read(answer: Response): Promise<Answered> {
  const body = JSON.parse((await answer.text()) || '{}') as Readonly<Record<string, string>>;
  return { code: answer.ok ? 'ok' : (body.code ?? String(answer.status)), body };
}

/** An account of its own that operates the server, with an owner who stays. */
async function openWorld({ one }: Gateways, members: TestMembers) {
  const account = `race-${randomUUID().slice(0, 8)}`;
  await command(one.dataDir, ['accounts', 'create', account, '--operator']);
  const [accountId, customer] = [
    await members.accountIdOf(account),
    await members.accountIdOf(`${account}-c`),
  ];
  const boss = await members.newSession(await members.newOwner(accountId));
  const tell = (operation: OperationId, asked: Asked) => send(one, boss, operation, asked);
  const call: Call = async (operation, asked = {}) => {
    const { code, body } = await tell(operation, asked);
    if (code !== 'ok') throw new Error(`${operation}: ${code}`);
    return body;
  };
  const newActor = async (): Promise<Actor> => {
    const login = await members.newOwner(accountId);
    const { token, backupCodes } = await members.newFactorSession(login);
    await members.setFresh(token, new Date(Date.now() + 3_600_000));
    const session = await members.holderOf(token);
    const draft = await members.beginFactor(token);
    const { memberId } = login;
    return { memberId, tokenId: '', by: token, session, draft, confirmation: backupCodes[0] ?? '' };
  };
  /** An actor that is a program, with every scope. */
  const newTokenActor = async (): Promise<Actor> => {
    const body = { name: 'actor', scopes: SCOPES };
    const { token_id: tokenId = '', access_token: token } = await call('createToken', { body });
    return { ...(await newActor()), tokenId, by: { authorization: `Bearer ${token}` } };
  };
  const joinAnother = async ({ userId }: SessionHolder) => {
    const row = {
      id: randomUUID(),
      accountId: customer,
      userId,
      role: 'viewer',
      createdAt: new Date(),
    } as const;
    await members.store.db.insert(memberRows).values(row);
    return customer;
  };
  /** Acts of an actor, by the account's own record: in all, and after the right to act had ended; undefined: it did not end that way. */
  const actsOf = async ({ memberId, tokenId }: ActorIds, loss: string) => {
    const { action, subject, outcome } = auditRecords;
    const [by, own] = tokenId === '' ? [auditRecords.memberId, memberId] : [auditRecords.tokenId, tokenId];
    const rows = await members.store.db
      .select({ action, subject, by })
      .from(auditRecords)
      .where(
        and(
          eq(auditRecords.accountId, accountId),
          eq(outcome, 'ok'),
          or(eq(by, own), eq(subject, own)),
          // Credentials that stay are listed in the transaction in which a member leaves.
          ne(action, 'member.leave_behind'),
        ),
      )
      .orderBy(asc(auditRecords.seq));
    const acts = (some: typeof rows) =>
      some.filter((row) => row.by === own).map((row) => `${row.action} ${row.subject}`);
    const lost = rows.findIndex(
      (row) => row.action === loss && (loss === 'session.sign_out' ? row.by : row.subject) === own,
    );
    return { all: acts(rows), later: lost < 0 ? undefined : acts(rows.slice(lost + 1)) };
  };
  const { store } = members;
  return { store, nowMs: Date.now(), tell, call, customer, newActor, newTokenActor, joinAnother, actsOf };
}

/**
 * How an actor loses the right to act: what is recorded, and what a request is answered that comes later. `moot` are the requests that end
 * the session themselves, or give it another token, and what the loss is answered after them.
 */
const LOSSES = [
  {
    name: 'removal',
    record: 'member.remove',
    answer: 'session_invalid',
    lose: ({ tell }: World, { memberId: id }: Actor) => tell('removeMember', { id }),
    moot: ['member_not_found', ['leaveAccount']],
    allows: () => false,
  },
  {
    name: 'demotion',
    record: 'member.change_role',
    answer: 'role_insufficient',
    lose: ({ tell }: World, { memberId: id }: Actor) => tell('changeRole', { id, body: { role: 'viewer' } }),
    moot: ['', []],
    allows: (operation: OperationId) => OPERATIONS[operation].roles.some((role: string) => role === 'viewer'),
  },
  {
    name: 'sign-out',
    record: 'session.sign_out',
    answer: 'session_invalid',
    lose: (_world: World, { by }: Actor, { one }: Gateways) => send(one, by, 'signOut'),
    moot: [
      'session_invalid',
      [
        ...['leaveAccount', 'signOut', 'endSession', 'switchAccount'],
        ...['changePassword', 'confirmSecondFactor', 'enrolSecondFactor'],
      ],
    ],
    allows: () => false,
  },
  {
    name: 'revocation of the token',
    record: 'revoketoken',
    answer: 'token_revoked',
    lose: ({ tell }: World, { tokenId: id }: Actor) => tell('revokeToken', { id }),
    moot: ['', []],
    allows: (operation: OperationId) => !OPERATIONS[operation].auth.some((one: string) => one === 'token'),
  },
] as const;

/** Operations that are carried out once, however often they are requested at once; deletePlan is too, but a plan is everybody's. */
const ONCE: ReadonlySet<OperationId> = new Set<OperationId>([
  ...(['leaveAccount', 'removeMember', 'withdrawInvitation', 'withdrawLimitRequest'] as const),
  ...(['creditAccount', 'bookPayment', 'issueCreditNote', 'grantLimitRequest'] as const),
  ...(['refuseLimitRequest', 'cancelWork', 'deleteWebhook', 'revokeKey'] as const),
  ...(['rotateKey', 'revokeToken', 'changePassword', 'enrolSecondFactor', 'confirmSecondFactor'] as const),
  ...(['signOut', 'endSession', 'switchAccount'] as const),
]);

/** Loses the right to act, again while the store is too busy. @returns the code of the last answer, and whether it was repeated. */
async function loseFully(lose: () => Promise<Answered>): Promise<readonly [string, boolean]> {
  let isRepeated = false;
  const code = await eventually('the store answers', async () => {
    const last = await lose();
    if (last.code !== 'store_unavailable') return last.code;
    isRepeated = true;
    return undefined;
  });
  return [code, isRepeated];
}

/** Asks every gateway with an access token and with an API key of a session. @returns the codes and statuses. */
async function useAt(gateways: readonly Gateway[], { access_token: token, api_key: key = '' }: Credentials) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  const asked = gateways.flatMap(({ baseUrl, rpcUrl }) => [
    fetch(`${baseUrl}/v1/wallets`, { headers: { authorization: `Bearer ${token}` } }),
    fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
    }),
  ]);
  return Promise.all(asked.map((each) => each.then(statusOf, String)));
}

type Credentials = Readonly<Record<string, string>>;

async function statusOf(answer: Response): Promise<number> {
  await answer.arrayBuffer();
  return answer.status;
}

/** Asks until all answers are as they should be. @returns the last ones, whatever they are. */
async function lastOf<T>(
  ask: () => Promise<readonly T[]>,
  isRight: (each: T) => boolean,
): Promise<readonly T[]> {
  let last: readonly T[] = [];
  const areRight = async () => {
    last = await ask();
    return last.every(isRight) || undefined;
  };
  await eventually('the answers are right', areRight).catch(
    (error: unknown) => last.length > 0 || Promise.reject(error),
  );
  return last;
}

/** Credentials of a session work at no gateway any more; those of programs stay. */
async function expectRefused(gateways: readonly Gateway[], credentials: Credentials): Promise<void> {
  const last = await lastOf(
    () => useAt(gateways, credentials),
    (status) => status === 401,
  );
  expect(last).toEqual(last.map(() => 401));
}

if (GATEWAYS_MISSING === undefined) describe('an owner of an account at two gateways', race);
else test('an owner of an account at two gateways', (context) => context.skip(GATEWAYS_MISSING));

function race(): void {
  const started = new AsyncDisposableStack();
  let gateways: Gateways;
  let members: TestMembers;

  beforeAll(async () => {
    const node = await startLocalnet();
    started.defer(node.stop);
    gateways = await startGateways({ upstreamUrl: node.rpcUrl });
    started.defer(gateways.remove);
    const { KEYSLOT_DATABASE_URL: databaseUrl = '', KEYSLOT_INSTALLATION_KEY_FILE: file } = gateways.one.env;
    members = await openMembers({ dataDir: gateways.one.dataDir, databaseUrl, file });
    started.defer(members.close);
  });
  afterAll(() => started.disposeAsync());

  test.concurrent.each(LOSSES)(
    'acts by no operation after the $name, whichever gateway is asked',
    async ({ record, answer, lose, moot: [mootAnswer, mootAfter], allows }) => {
      const world = await openWorld(gateways, members);
      const both = [gateways.one, gateways.other];
      const counts = { ok: 0, refused: 0, lost: 0 };
      const ended: Credentials[] = [];
      for (const [operation, prepare] of Object.entries(REQUESTS) as [OperationId, Prepare][]) {
        if (allows(operation)) continue;
        const isProgram = record === 'revoketoken';
        const actor = await (isProgram ? world.newTokenActor() : world.newActor());
        const asked = await prepare(world, actor);
        const given = isProgram ? undefined : await send(gateways.one, actor.by, 'createCredentials');
        if (given !== undefined) expect(await useAt(both, given.body)).toEqual([200, 200, 200, 200]);
        const before = (await world.actsOf(actor, record)).all.length;
        const ask = (gateway: Gateway) => send(gateway, actor.by, operation, asked);
        const asks = both.flatMap((gateway) => [0, 4].map((ms) => pause(ms).then(() => ask(gateway))));
        const loss = pause(Math.random() * 12).then(() => loseFully(() => lose(world, actor, gateways)));
        const answers = await Promise.all(asks);
        const [lost, isRepeated] = await loss;
        for (const { code } of answers) counts[code === 'ok' ? 'ok' : 'refused']++;
        const isMoot = isRepeated || mootAfter.some((one) => one === operation);
        expect([operation, isMoot && lost === mootAnswer ? 'ok' : lost]).toEqual([operation, 'ok']);
        const late = async () => (await Promise.all(both.map(ask))).map(({ code }) => code);
        // A gateway may look for something before it hears that the token was revoked: what it answers then is a refusal too.
        let codes: readonly string[] = await late();
        if (isProgram && !codes.includes('ok')) codes = await lastOf(late, (each) => each === answer);
        expect([operation, ...codes]).toEqual([operation, answer, answer]);
        const { all, later } = await world.actsOf(actor, record);
        if (later !== undefined) counts.lost++;
        expect([operation, ...(later ?? [])]).toEqual([operation]);
        const acts = all.slice(before);
        if (ONCE.has(operation)) expect([operation, ...acts]).toEqual([operation, ...new Set(acts)]);
        if (lost !== 'ok' || given === undefined) continue;
        ended.push(given.body);
        for (const { code, body } of answers)
          if (operation === 'createCredentials' && code === 'ok') ended.push(body);
      }
      for (const credentials of ended) await expectRefused(both, credentials);
      // Some were let in before, some were refused: the requests did race.
      expect(counts.ok).toBeGreaterThan(10);
      expect(counts.refused).toBeGreaterThan(10);
      // All but those of a session that the request ended or gave another token.
      expect(counts.lost).toBeGreaterThan(allows('signOut') ? 20 : 30);
    },
    240_000,
  );
}
