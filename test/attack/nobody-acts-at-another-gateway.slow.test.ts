import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OperationId, OPERATIONS } from '../../generated/account/operations.ts';
import type { SessionHolder } from '../../src/account/identity/members/sessions.ts';
import { sessionCookieName } from '../../src/server/rest/session-cookie.ts';
import { eventually } from '../../src/core/eventually.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { and, asc, eq, or } from '../../src/store/drizzle.ts';
import { members as memberRows } from '../../src/store/member-tables.ts';
import { openMembers, type TestMembers } from '../account/api/live/provision-members.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from '../gateways/start-gateways.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { command } from '../support/wallet-account.ts';
import { type Asked, type Call, type Prepare, REQUESTS } from './changing-requests.ts';

// As nobody-acts-who-may-no-longer, with two gateway processes on one PostgreSQL: what one of them takes away, the other knows in time.

const COOKIE = sessionCookieName('http://localhost');

type Answered = { readonly code: string; readonly body: Readonly<Record<string, string>> };
type World = Awaited<ReturnType<typeof openWorld>>;
type Actor = Awaited<ReturnType<World['newActor']>>;

/** Sends a request of an operation with a session. The code of a success is `ok`. */
async function send(
  { baseUrl }: Gateway,
  session: string,
  operation: OperationId,
  { id = '', body }: Asked = {},
): Promise<Answered> {
  const { method, path } = OPERATIONS[operation];
  const answer = await fetch(`${baseUrl}${path.replace('{id}', encodeURIComponent(id))}`, {
    method,
    headers: {
      cookie: `${COOKIE}=${session}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const read = JSON.parse((await answer.text()) || '{}') as Readonly<Record<string, string>>;
  return { code: answer.ok ? 'ok' : (read.code ?? String(answer.status)), body: read };
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
  const call: Call = async (operation, asked) => {
    const { code, body } = await send(one, boss, operation, asked);
    if (code !== 'ok') throw new Error(`${operation}: ${code}`);
    return body;
  };
  const newActor = async () => {
    const login = await members.newOwner(accountId);
    const { token, backupCodes } = await members.newFactorSession(login);
    await members.setFresh(token, new Date(Date.now() + 3_600_000));
    const session = await members.holderOf(token);
    const draft = await members.beginFactor(token);
    return { memberId: login.memberId, token, session, draft, confirmation: backupCodes[0] ?? '' };
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
  /** The actions of a member after the right to act ended, by the account's audit log; undefined: it did not end that way. */
  const actsAfter = async ({ memberId }: { readonly memberId: string }, loss: string) => {
    const { action, subject, memberId: by } = auditRecords;
    const rows = await members.store.db
      .select({ action, subject, by })
      .from(auditRecords)
      .where(and(eq(auditRecords.accountId, accountId), or(eq(by, memberId), eq(subject, memberId))))
      .orderBy(asc(auditRecords.seq));
    const lost = rows.findIndex(
      (row) => row.action === loss && (loss === 'session.sign_out' ? row.by : row.subject) === memberId,
    );
    if (lost < 0) return undefined;
    const later = rows.slice(lost + 1).filter((row) => row.by === memberId);
    // The transaction in which a member leaves lists the rest.
    return later.map((row) => row.action).filter((each) => each !== 'member.leave_behind');
  };
  const { store } = members;
  return { store, nowMs: Date.now(), call, customer, newActor, joinAnother, actsAfter };
}

/** The ways in which an owner loses the right to act: the record, and the answer to a later request. */
const LOSSES = [
  {
    name: 'removal',
    record: 'member.remove',
    answer: 'session_invalid',
    lose: ({ call }: World, { memberId: id }: Actor) => call('removeMember', { id }),
    allows: () => false,
  },
  {
    name: 'demotion',
    record: 'member.change_role',
    answer: 'role_insufficient',
    lose: ({ call }: World, { memberId: id }: Actor) => call('changeRole', { id, body: { role: 'viewer' } }),
    allows: (operation: OperationId) => OPERATIONS[operation].roles.some((role: string) => role === 'viewer'),
  },
  {
    name: 'sign-out',
    record: 'session.sign_out',
    answer: 'session_invalid',
    lose: undefined,
    allows: () => false,
  },
] as const;

/** Keys of a session stop working at all gateways; keys of programs stay. */
async function expectRefused(
  gateways: readonly Gateway[],
  { access_token: token, token_id: id }: Readonly<Record<string, string>>,
): Promise<void> {
  if (token === undefined || id !== undefined) return;
  for (const { baseUrl } of gateways) {
    const headers = { authorization: `Bearer ${token}` };
    const isRefused = async () =>
      (await fetch(`${baseUrl}/account/v1/account`, { headers })).status === 401 || undefined;
    await eventually('the token of the session is refused', isRefused);
  }
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
    async ({ record, answer, lose, allows }) => {
      const world = await openWorld(gateways, members);
      const both = [gateways.one, gateways.other];
      const counts = { ok: 0, refused: 0, lost: 0 };
      for (const [operation, prepare] of Object.entries(REQUESTS) as [OperationId, Prepare][]) {
        if (allows(operation)) continue;
        const actor = await world.newActor();
        const asked = await prepare(world, actor);
        const ask = (gateway: Gateway) => send(gateway, actor.token, operation, asked);
        const asks = both.flatMap((gateway) => [0, 4].map((ms) => pause(ms).then(() => ask(gateway))));
        const loss = pause(Math.random() * 12).then(async () => {
          if (lose === undefined) await send(gateways.one, actor.token, 'signOut');
          // The request may have ended the membership before.
          else await lose(world, actor).catch(() => undefined);
        });
        const answers = await Promise.all(asks);
        await loss;
        for (const { code } of answers) counts[code === 'ok' ? 'ok' : 'refused']++;
        const late = await Promise.all(both.map(ask));
        expect([operation, ...late.map(({ code }) => code)]).toEqual([operation, answer, answer]);
        const acts = await world.actsAfter(actor, record);
        if (acts !== undefined) counts.lost++;
        expect([operation, ...(acts ?? [])]).toEqual([operation]);
        for (const { body } of answers) await expectRefused(both, body);
      }
      // Some were let in before, some were refused: the requests did race.
      expect(counts.ok).toBeGreaterThan(10);
      expect(counts.refused).toBeGreaterThan(10);
      // All but those of a session that the request ended or gave another token.
      expect(counts.lost).toBeGreaterThan(allows('signOut') ? 20 : 30);
    },
    240_000,
  );
}
