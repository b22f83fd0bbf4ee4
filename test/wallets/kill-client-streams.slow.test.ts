import { expect, type TestContext, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { rounds } from '../support/tier.ts';
import { ACCOUNT, type WalletServer } from './open-wallet-server.ts';
import { startWalletServer } from './wallet-server.ts';
import {
  type ClientStream,
  newClientBatch,
  newClientTree,
  runAgain,
  runClientStream,
} from './kill/client-streams.ts';
import { type Random, seededRandom } from '../lab/random.ts';

vi.setConfig({ testTimeout: 600_000 });

const COUNT = 10_000;
const WHOLE = 300;
const postgresUrl = await findPostgres();
const KILLS = rounds(5);

/** Micro-USD. */
async function chargedOf(server: WalletServer): Promise<bigint> {
  const { charged_usd, reserved_usd } = await server.ask<Record<string, string>>({
    kind: 'money.balance',
    account: ACCOUNT,
  });
  expect(reserved_usd).toBe('0.00');
  const [dollars = '0', fraction = ''] = (charged_usd ?? '').split('.');
  return BigInt(dollars) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/** Streams at once; the server is killed after a number of lines, at a moment when its memory may hold more of them. */
async function streamUntilKilled(server: WalletServer, random: Random): Promise<readonly ClientStream[]> {
  const streams = [newClientBatch(COUNT), newClientTree(COUNT), newClientBatch(WHOLE)];
  let left = 1 + random(COUNT);
  let killing: Promise<void> | undefined;
  const onLine = (): void => {
    left -= 1;
    if (left === 0) killing = server.kill();
  };
  await Promise.all(streams.map((stream) => runClientStream(server, stream, { onLine })));
  await (killing ?? server.kill());
  return streams;
}

const price = (streams: readonly ClientStream[]): bigint =>
  streams.reduce((sum, { count, price: each }) => sum + BigInt(count) * each, 0n);

/** Each was charged as much as came of it, or in full; what was not begun was not charged. */
function assertCharged(streams: readonly ClientStream[], charged: bigint): void {
  const delivered = streams.reduce(
    (sum, { delivered: { length }, free, price: each }) => sum + BigInt(Math.max(length - free, 0)) * each,
    0n,
  );
  expect(charged).toBeGreaterThanOrEqual(delivered);
  expect(charged).toBeLessThanOrEqual(price(streams));
}

/** Asks for the rest of each as its client would, and for more than that. */
async function getTheRest(server: WalletServer, stream: ClientStream): Promise<void> {
  const wasWhole = stream.isWhole;
  const before = stream.delivered.length;
  await eventually('the earlier request is over', async () => {
    await runAgain(server, stream);
    return stream.refusal === 'idempotency_key_in_use' ? undefined : true;
  });
  if (stream.refusal === 'idempotency_nothing_charged') {
    // The server had not begun it.
    expect(before).toBe(0);
    await runClientStream(server, stream);
  } else if (wasWhole) {
    expect([stream.refusal, stream.delivered.length]).toEqual(['idempotency_secret_not_kept', before]);
  }
  expect(stream.delivered.length).toBe(stream.count + stream.free);
  // Of a stream that came whole the server may not have seen that: it would take the client at its word.
  if (!wasWhole) await runClientStream(server, stream, { headers: { 'x-wallets-received': '0' } });
  await runClientStream(server, stream);
  expect(new Set(stream.delivered.map(({ address }) => address)).size).toBe(stream.count + stream.free);
}

async function killAgainAndAgain(kills: number, databaseUrl?: string): Promise<void> {
  const random = seededRandom('kill-client-streams');
  const env = databaseUrl === undefined ? {} : { KEYSLOT_DATABASE_URL: databaseUrl };
  const server = await startWalletServer({ env });
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = await chargedOf(server);
    const streams = await streamUntilKilled(server, random);
    await server.start();
    assertCharged(streams, (await chargedOf(server)) - before);
    for (const stream of streams) await getTheRest(server, stream);
    expect((await chargedOf(server)) - before).toBe(price(streams));
  }
  await expect(server.ask({ kind: 'audit.verify' })).resolves.toMatchObject({ is_sound: true });
}

test(`${KILLS} kills of the server deliver no client wallet that is not charged; what did not come comes, and nothing is charged twice`, () =>
  killAgainAndAgain(KILLS));

test('the same holds on PostgreSQL', async (context: TestContext) => {
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const database = await createDatabase(postgresUrl);
  try {
    await killAgainAndAgain(KILLS, database.url);
  } finally {
    await database.drop();
  }
});
