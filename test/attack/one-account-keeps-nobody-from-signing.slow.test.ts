import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWalletClient } from '../../generated/wallets/client.ts';
import { PLANS } from '../../generated/plans.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { addCredit, createToken } from '../support/wallet-account.ts';
import { connectTo } from '../wallets/live/query.ts';

const FLOOD = 200;
const SIGNATURES = 20;
/** Longer than this process has ever to do with an answer. */
const LONGEST_PAUSE_NS = 200_000_000;
const DEADLINE_MS = 120_000;
const { served, waiting } = PLANS.account_concurrency;

type Answer = {
  readonly status: number | undefined;
  readonly text: string;
  readonly retryAfter: string | undefined;
};

type Flood = {
  /** How many of the calls were served so far. */
  readonly served: () => number;
  readonly answers: Promise<readonly Answer[]>;
};

/** Sends a GET with a token, on a connection of its own. */
function get(url: string, token: string, agent: Agent): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () =>
      resolve({
        ...{ status: answer.statusCode, text: Buffer.concat(chunks).toString() },
        retryAfter: answer.headers['retry-after'],
      }),
    );
  });
  sent.on('error', reject).end();
  return promise;
}

/** A server, an account that floods its account service, and a wallet of another account. */
async function openWorld(server: RunningKeyslot) {
  const { dataDir, baseUrl } = server;
  const attacker = await createToken(dataDir, 'attacker');
  const victim = await createToken(dataDir, 'victim');
  await addCredit(dataDir, 'victim', '100');
  const client = createWalletClient({ url: baseUrl, token: victim.token });
  const wallet = await client.createWallet({ custody: 'managed' });
  const id = wallet.custody === 'managed' ? wallet.wallet_id : '';
  const agent = new Agent({ keepAlive: true, maxSockets: FLOOD });
  return {
    /** Sends many calls of the attacker at once. */
    flood: (path: string): Flood => {
      let served = 0;
      const answers = Array.from({ length: FLOOD }, async () => {
        const answer = await get(`${baseUrl}/account/v1/${path}`, attacker.token, agent);
        if (answer.status === 200) served += 1;
        return answer;
      });
      return { served: () => served, answers: Promise.all(answers) };
    },
    /** Rejects unless the wallet signs. */
    sign: () => client.signWithWallet(id, { message: 'aGVsbG8=' }),
    close: () => agent.destroy(),
  };
}

/** All were answered, or refused for what they are. */
function expectFair(answers: readonly Answer[]): void {
  const answered = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answered.length).toBeGreaterThanOrEqual(served + waiting);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, text, retryAfter } of refused) {
    expect([status, retryAfter]).toEqual([429, '1']);
    expect(JSON.parse(text)).toMatchObject({ code: 'too_many_requests_at_once', limit: served, waiting });
  }
}

describe('an account that floods the account service keeps nobody from signing, embedded', () => {
  let server: RunningKeyslot;
  beforeAll(async () => {
    server = await startKeyslot();
  }, DEADLINE_MS);
  afterAll(() => server.stop());

  test(
    'a signature waits for no more than a few of its lists',
    async () => {
      const { flood, sign, close } = await openWorld(server);
      await sign();
      const { served: count, answers } = flood('audit');
      const overtakenBy: number[] = [];
      for (let made = 0; made < SIGNATURES; made += 1) {
        const before = count();
        // What is answered while this process stands still comes all at once, whatever its order was.
        const pauses = monitorEventLoopDelay({ resolution: 5 });
        pauses.enable();
        await sign();
        pauses.disable();
        if (pauses.max < LONGEST_PAUSE_NS) overtakenBy.push(count() - before);
      }
      expectFair(await answers);
      expect(overtakenBy.length).toBeGreaterThan(0);
      expect(Math.max(...overtakenBy)).toBeLessThan((served + waiting) / 2);
      close();
    },
    DEADLINE_MS,
  );
});

const postgres = await findPostgres();

if (postgres === undefined)
  test('an account that floods the account service keeps nobody from signing, PostgreSQL', (context) =>
    context.skip(POSTGRES_MISSING));
else
  describe('an account that floods the account service keeps nobody from signing, PostgreSQL', () => {
    let server: RunningKeyslot;
    let database: Awaited<ReturnType<typeof createDatabase>>;
    beforeAll(async () => {
      database = await createDatabase(postgres);
      server = await startKeyslot({ env: { KEYSLOT_DATABASE_URL: database.url } });
    }, DEADLINE_MS);
    afterAll(async () => {
      await server.stop();
      await database.drop();
    });

    test(
      'others sign while none of its lists is answered',
      async () => {
        const { flood, sign, close } = await openWorld(server);
        const locks = await connectTo(database.url);
        await locks.query('begin; lock table api_keys in access exclusive mode');
        const { served: count, answers } = flood('keys');
        for (let made = 0; made < SIGNATURES; made += 1) await sign();
        expect(count()).toBe(0);
        await locks.end();
        expectFair(await answers);
        close();
      },
      DEADLINE_MS,
    );
  });
