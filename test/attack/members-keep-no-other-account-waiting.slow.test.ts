import { describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startMemberServer } from '../account/api/sessions/member-server.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { createToken } from '../support/wallet-account.ts';
import { connectTo } from '../wallets/live/query.ts';

// Each member may have as many requests in progress as a whole account. What their account may have of the store stays the same.

const MEMBERS = 8;
const LISTS_EACH = 8;
const USAGE = '/account/v1/usage';
const KEYS = '/account/v1/keys';
/** Statements of theirs that may go first, for two of the other account. More than sixty wait. */
const MOST_IN_FRONT = 12;

const postgres = await findPostgres();
if (postgres === undefined) test('members take turns', (context) => context.skip(POSTGRES_MISSING));
else describe('eight members who list usage at once', () => keepNobodyWaiting(postgres));

function keepNobodyWaiting(postgresUrl: string): void {
  test('another account reads its keys after a few of their lists', async () => {
    const preloaded = `--import=${new URL('note-turns.ts', import.meta.url).href}`;
    await using world = await startMemberServer(postgresUrl, { env: { NODE_OPTIONS: preloaded } });
    const { members, server, send, databaseUrl } = world;
    const owner = await members.newOwner(await members.accountIdOf('attacker'));
    const { token } = await createToken(server.dataDir, 'victim');
    const sessions: string[] = [];
    for (let made = 0; made < MEMBERS; made++)
      sessions.push(await members.newSession(await members.newMember(owner, 'viewer')));
    /** The requests that came, or got a connection, in that order. */
    const turns = () =>
      [...server.stderr().matchAll(/^turn: \d+ (begins|gets) (\S+)$/gm)].map(([, ...turn]) => turn.join(' '));
    const count = (turn: string) => turns().filter((each) => each === turn).length;

    const locks = await connectTo(databaseUrl);
    await locks.query('begin; lock table usage_sums in access exclusive mode');
    const lists = sessions.flatMap((session) =>
      Array.from({ length: LISTS_EACH }, () => send('GET', USAGE, { session })),
    );
    const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const areThere = async () =>
      (count(`begins ${USAGE}`) === lists.length && (await locks.query(waiting)).rows[0]?.count > 0) ||
      undefined;
    await eventually('all lists are there, and one waits for the lock', areThere);
    const keys = send('GET', KEYS, { token });
    await eventually('another account comes', () => count(`begins ${KEYS}`) > 0 || undefined);
    await locks.end();
    expect((await keys).status).toBe(200);
    const since = turns().slice(turns().indexOf(`begins ${KEYS}`));
    const until = since.lastIndexOf(`gets ${KEYS}`);
    const inFront = since.slice(0, until).filter((turn) => turn === `gets ${USAGE}`);
    expect(inFront.length).toBeLessThanOrEqual(MOST_IN_FRONT);
    // On a slow machine, some waited longer for the store than one may.
    const statuses = (await Promise.all(lists)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }, 120_000);
}
