import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWalletClient } from '../../generated/wallets/client.ts';
import { PLANS } from '../../generated/plans.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { addCredit, createToken } from '../support/wallet-account.ts';
import { connectTo } from '../wallets/live/query.ts';

const FLOOD = 200;
const SIGNATURES = 20;
/** Signatures that are asked for at the same time. */
const TOGETHER = 8;
/** For what hangs: what is checked here is an order of events, which no machine is too slow for. */
const DEADLINE_MS = 600_000;
const PATIENCE = { timeoutMs: 300_000 };
const { served, waiting } = PLANS.account_concurrency;
const PRELOADED = new URL('note-turns.ts', import.meta.url).href;
const WALLETS = '/v1/wallets';
const LIST = '/account/v1/audit';

type Call = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object };
type Answer = {
  readonly status: number | undefined;
  readonly text: string;
  readonly retryAfter: string | undefined;
};

type Flood = {
  /** Calls answered so far, with 2xx and with 429. */
  readonly served: () => number;
  readonly refused: () => number;
  readonly answers: Promise<readonly Answer[]>;
};

/** Sends a call with a token, on a connection of its own. */
function send(url: string, token: string, { method, body }: Call, agent: Agent): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = request(url, { agent, headers, method }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () =>
      resolve({
        status: answer.statusCode,
        text: Buffer.concat(chunks).toString(),
        retryAfter: answer.headers['retry-after'],
      }),
    );
  });
  sent.on('error', reject).end(body && JSON.stringify(body));
  return promise;
}

/** A server, an account that floods it, and a wallet of another account. */
async function openWorld(server: RunningKeyslot, name: string) {
  const { dataDir, baseUrl } = server;
  const [attackerName, victimName] = [`${name}-attacker`, `${name}-victim`];
  const attacker = await createToken(dataDir, attackerName);
  const victim = await createToken(dataDir, victimName);
  for (const account of [attackerName, victimName]) await addCredit(dataDir, account, '100');
  const client = createWalletClient({ url: baseUrl, token: victim.token, ...PATIENCE });
  const wallet = await client.createWallet({ custody: 'managed' });
  const id = wallet.custody === 'managed' ? wallet.wallet_id : '';
  const agent = new Agent({ keepAlive: true, maxSockets: FLOOD });
  return {
    attackerName,
    /** Sends many calls of the attacker at once. */
    flood: (call: Call, times = FLOOD): Flood => {
      let [served, refused] = [0, 0];
      const answers = Array.from({ length: times }, async () => {
        const answer = await send(`${baseUrl}${call.path}`, attacker.token, call, agent);
        if (answer.status === 200 || answer.status === 201) served += 1;
        if (answer.status === 429) refused += 1;
        return answer;
      });
      return { served: () => served, refused: () => refused, answers: Promise.all(answers) };
    },
    /** Rejects unless the wallet signs. */
    sign: () => client.signWithWallet(id, { message: 'aGVsbG8=' }),
    close: () => agent.destroy(),
  };
}

/** Waits until as many calls are served and wait as may, and all others were refused. */
function full({ refused }: Flood): Promise<unknown> {
  const isFull = () => refused() === FLOOD - served - waiting || undefined;
  return eventually('as many wait as may', isFull, PATIENCE);
}

/** All were answered, or refused for what they are; on a slow machine, some waited longer for the store than one may. */
function expectFair(answers: readonly Answer[]): void {
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(FLOOD - served - waiting);
  for (const { text, retryAfter } of refused) {
    expect(retryAfter).toBe('1');
    expect(JSON.parse(text)).toMatchObject({ code: 'too_many_requests_at_once', limit: served, waiting });
  }
  const others = answers.filter(({ status }) => status !== 429);
  expect(others.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
}

/** Counts the events that `note-turns.ts` has written for requests whose path ends with `path`. */
function noted(server: RunningKeyslot, what: string, path: string): number {
  return server.stderr().match(new RegExp(`^turn: \\d+ ${what} \\S*${path}$`, 'gm'))?.length ?? 0;
}

/** For each signature that waited for a connection to the store: the number of requests to a path that got one meanwhile. */
function inFront(server: RunningKeyslot, path: string): readonly number[] {
  const turns = [...server.stderr().matchAll(/^turn: (\d+) (asks|gets) (\S+)$/gm)];
  return turns.flatMap(([, id, what, asking = ''], at) => {
    if (what !== 'asks' || !asking.endsWith('/sign')) return [];
    const got = turns.slice(at).findIndex(([, other, then]) => other === id && then === 'gets');
    const between = turns.slice(at, at + got);
    return [between.filter(([, , then, other]) => then === 'gets' && other === path).length];
  });
}

describe('an account that floods the server keeps nobody from signing, embedded', () => {
  let server: RunningKeyslot;
  beforeAll(async () => {
    server = await startKeyslot({ env: { NODE_OPTIONS: `--import=${PRELOADED}` } });
  }, DEADLINE_MS);
  afterAll(() => server.stop(), DEADLINE_MS);

  /** Goes on to the next stage of `note-turns.ts`. */
  const goOn = async (): Promise<void> => {
    const count = (): number => server.stderr().match(/^turn: \w+ is held$/gm)?.length ?? 0;
    const before = count();
    process.kill(server.pid, 'SIGUSR2');
    await eventually('the next stage is there', () => count() > before || undefined, PATIENCE);
  };

  test(
    'others sign while none of its lists is answered, and then wait for no more than one of them',
    async () => {
      const { flood, sign, close } = await openWorld(server, 'lists');
      await goOn();
      const lists = flood({ method: 'GET', path: LIST });
      await full(lists);
      for (let made = 0; made < SIGNATURES; made += 1) await sign();
      expect(lists.served()).toBe(0);
      await goOn();
      const before = noted(server, 'comes', '/sign');
      const signing = Array.from({ length: TOGETHER }, sign);
      const haveCome = () => noted(server, 'comes', '/sign') > before || undefined;
      await eventually('a signature waits for the store', haveCome, PATIENCE);
      await goOn();
      await Promise.all(signing);
      expectFair(await lists.answers);
      expect(Math.max(...inFront(server, LIST))).toBe(1);
      close();
    },
    DEADLINE_MS,
  );

  test(
    'others wait for no more than one of its wallets',
    async () => {
      const { flood, sign, close } = await openWorld(server, 'wallets');
      await goOn();
      const begun = noted(server, 'begins', WALLETS);
      const creations = flood({ method: 'POST', path: WALLETS, body: { custody: 'managed' } });
      const haveBegun = () => noted(server, 'begins', WALLETS) === begun + FLOOD || undefined;
      await eventually('all have come', haveBegun, PATIENCE);
      const before = noted(server, 'comes', '/sign');
      const signing = Array.from({ length: TOGETHER }, sign);
      const haveCome = () => noted(server, 'comes', '/sign') > before || undefined;
      await eventually('a signature waits for the store', haveCome, PATIENCE);
      await goOn();
      await Promise.all(signing);
      const answers = await creations.answers;
      expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
      expect(Math.max(...inFront(server, WALLETS))).toBe(1);
      close();
    },
    DEADLINE_MS,
  );
});

const postgres = await findPostgres();

if (postgres === undefined)
  test('an account that floods the server keeps nobody from signing, PostgreSQL', (context) =>
    context.skip(POSTGRES_MISSING));
else
  describe('an account that floods the server keeps nobody from signing, PostgreSQL', () => {
    let server: RunningKeyslot;
    let database: Awaited<ReturnType<typeof createDatabase>>;
    beforeAll(async () => {
      database = await createDatabase(postgres);
      server = await startKeyslot({ env: { KEYSLOT_DATABASE_URL: database.url } });
    }, DEADLINE_MS);
    afterAll(async () => {
      await server.stop();
      await database.drop();
    }, DEADLINE_MS);

    test(
      'others sign while none of its lists is answered',
      async () => {
        const { flood, sign, close } = await openWorld(server, 'lists');
        const locks = await connectTo(database.url);
        await locks.query('begin; lock table api_keys in access exclusive mode');
        const lists = flood({ method: 'GET', path: '/account/v1/keys' });
        await full(lists);
        for (let made = 0; made < SIGNATURES; made += 1) await sign();
        expect(lists.served()).toBe(0);
        await locks.end();
        expectFair(await lists.answers);
        close();
      },
      DEADLINE_MS,
    );

    test(
      'others sign while none of its wallets is made',
      async () => {
        const { flood, sign, close, attackerName } = await openWorld(server, 'wallets');
        const create: Call = { method: 'POST', path: WALLETS, body: { custody: 'managed' } };
        await flood(create, 1).answers;
        const locks = await connectTo(database.url);
        await locks.query('begin');
        await locks.query(
          'select from audit_tips where account_id = (select id from accounts where name = $1) for update',
          [attackerName],
        );
        const creations = flood(create);
        const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        const isWaiting = async () => (await locks.query(waiting)).rows[0]?.count > 0 || undefined;
        await eventually('a wallet waits for the lock', isWaiting, PATIENCE);
        for (let made = 0; made < SIGNATURES; made += 1) await sign();
        expect(creations.served()).toBe(0);
        await locks.end();
        await creations.answers;
        close();
      },
      DEADLINE_MS,
    );
  });
