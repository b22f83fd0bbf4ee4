import { expect, type TestContext, test, vi } from 'vitest';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { rounds } from '../support/tier.ts';
import {
  type Clients,
  newBatch,
  newTree,
  runCreates,
  runSign,
  runSigns,
  runStream,
} from './kill/managed-work.ts';
import { type Random, sampleOf, seededRandom } from '../lab/random.ts';
import { assertKeysOpen, assertStoreHolds } from './kill/store-facts.ts';
import { ACCOUNT, type WalletServer } from './open-wallet-server.ts';
import { startWalletServer } from './wallet-server.ts';

vi.setConfig({ testTimeout: 600_000 });

const BATCHES = { keyed: 2_000, plain: 500 };
const TREES = { keyed: 400, plain: 100 };
/** Interrupted streams that are asked for again in the next round; the others are at the end. */
const REPEATED = 2;
const CREATES = 10;
const SIGNS = 16;
/** Wallets, records and charges only become more, so that what is wrong once stays: all of them are read after some of the kills. */
const WHOLE_CHECK_EVERY = 5;
const postgresUrl = await findPostgres();
/** Ten in all, each with a start after it; those on the embedded store take twice as long. */
const KILLS =
  postgresUrl === undefined
    ? { embedded: rounds(10), postgres: 0 }
    : { embedded: rounds(4), postgres: rounds(6) };
/** About what one round tells of: a kill comes anywhere in it, seldom after it. */
const TOLD_IN_A_ROUND = BATCHES.keyed + BATCHES.plain + TREES.keyed + TREES.plain + CREATES + SIGNS;

/** Everything at once; the server is killed when clients have received a number of wallets and signatures, or all. */
async function workUntilKilled(server: WalletServer, clients: Clients, random: Random): Promise<void> {
  let left = 1 + random(TOLD_IN_A_ROUND);
  let killing: Promise<void> | undefined;
  clients.onTold = () => {
    left -= 1;
    if (left === 0) killing = server.kill();
  };
  const unfinished = clients.streams
    .filter(({ key, isDone }) => key !== undefined && !isDone)
    .slice(-REPEATED);
  const added = [
    ...[newBatch(BATCHES.keyed, true), newBatch(BATCHES.plain, false)],
    ...[newTree(TREES.keyed, true), newTree(TREES.plain, false)],
  ];
  clients.streams.push(...added);
  const earlier = sampleOf(clients.told, SIGNS, random);
  const endings = await Promise.all([
    ...[...unfinished, ...added].map((work) => runStream(server, clients, work)),
    runCreates(server, clients, CREATES),
    runSigns(server, clients, earlier),
  ]);
  expect(endings.filter((ending) => ending !== undefined && ending.kind === 'refused')).toEqual([]);
  await (killing ?? server.kill());
  clients.onTold = () => undefined;
}

/** Asserts the state once the server is there again. @param before the number of wallets delivered in earlier rounds. */
async function assertServed(server: WalletServer, clients: Clients, before: number, random: Random) {
  expect(await server.ask({ kind: 'money.balance', account: ACCOUNT })).toMatchObject({
    reserved_usd: '0.00',
  });
  await runSigns(server, clients, sampleOf(clients.told.slice(before), 50, random));
  const interrupted = clients.signs.filter(({ isDone }) => !isDone);
  for (const work of interrupted) expect(await runSign(server, clients, work)).toBe(true);
}

async function assertAuditHolds(server: WalletServer): Promise<void> {
  const sound = { is_sound: true, signatures_checked: true };
  expect(await server.ask({ kind: 'audit.verify' })).toMatchObject(sound);
}

/** Repeats until everything that has a key is whole, then once more: that makes and charges nothing. */
async function finish(server: WalletServer, clients: Clients): Promise<void> {
  const keyed = clients.streams.filter(({ key }) => key !== undefined);
  for (const work of keyed.filter(({ isDone }) => !isDone)) {
    expect(await runStream(server, clients, work)).toMatchObject({ kind: 'whole' });
  }
  const balance = await server.ask({ kind: 'money.balance', account: ACCOUNT });
  const told = clients.told.length;
  for (const work of keyed.slice(-4)) {
    expect(await runStream(server, clients, work)).toMatchObject({ kind: 'whole' });
  }
  expect(await server.ask({ kind: 'money.balance', account: ACCOUNT })).toEqual(balance);
  expect(clients.told).toHaveLength(told);
}

async function killAgainAndAgain(kills: number, databaseUrl?: string): Promise<void> {
  const random = seededRandom('kill-server');
  const clients: Clients = { told: [], streams: [], signs: [], onTold: () => undefined };
  const env = databaseUrl === undefined ? {} : { KEYSLOT_DATABASE_URL: databaseUrl };
  const server = await startWalletServer({ env });
  const where = { dataDir: server.dataDir, databaseUrl };
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = clients.told.length;
    await workUntilKilled(server, clients, random);
    const isWhole = kill % WHOLE_CHECK_EVERY === 1;
    if (isWhole) await assertStoreHolds(where, clients);
    await server.start();
    if (isWhole) await assertAuditHolds(server);
    await assertServed(server, clients, before, random);
  }
  await finish(server, clients);
  await assertAuditHolds(server);
  await server.stop();
  await assertStoreHolds(where, clients);
  expect(await assertKeysOpen(where)).toBeGreaterThanOrEqual(clients.told.length);
}

test(`${KILLS.embedded} kills of the server lose no delivered wallet, charge what is there and nothing twice`, () =>
  killAgainAndAgain(KILLS.embedded));

test(`the same holds of ${KILLS.postgres} kills on PostgreSQL`, async (context: TestContext) => {
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const database = await createDatabase(postgresUrl);
  try {
    await killAgainAndAgain(KILLS.postgres, database.url);
  } finally {
    await database.drop();
  }
});
