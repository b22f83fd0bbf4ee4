import { sampleOf } from '../../wallets/kill/random.ts';
import type { ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import { destroyWallet } from './destroy.ts';
import type { Round } from './round.ts';
import { askClient, askKeyed, askManaged, newManaged, newSign, type SingleWork } from './singles.ts';
import { newBatch, newTree, runStream, type StreamWork } from './streams.ts';

/** What is asked for again when the server is there again. */
export type Pending = { readonly streams: StreamWork[]; readonly singles: SingleWork[] };

const SINGLES = 12;
const SIGNS = 24;
const SIGNERS = 3;
const DESTROYED = 2;
/** A second's work and more. */
const CLIENT_BATCH = 5_000;
const CLIENT_TREE = 2_000;

/**
 * Everything at once until something is killed: wallets singly and in streams, managed and handed out, with and without Idempotency-Key,
 * signatures, and destructions. What is bounded ends by itself; client streams follow each other until the kill.
 */
export async function workUntilKilled(round: Round): Promise<Pending> {
  const pending: Pending = { streams: [], singles: [] };
  const { book, backend, random, isOver } = round;
  const earlier = sampleOf([...book.living.values()], SIGNS, random);
  const dying = earlier.filter(({ wallet_id }) => !book.masters.has(wallet_id)).slice(-DESTROYED);
  const signing = earlier.filter((wallet) => !dying.includes(wallet));
  const [batch, plain] = [backend.batch, Math.ceil(backend.batch / 2)];
  const managed = [
    newBatch({ count: batch, isManaged: true, isKeyed: true }),
    newBatch({ count: plain, isManaged: true, isKeyed: false }),
    ...(backend.hasTrees
      ? [true, false].map((isKeyed) => newTree({ count: plain, isManaged: true, isKeyed }))
      : []),
  ];
  const clients = [
    () => newBatch({ count: CLIENT_BATCH, isManaged: false, isKeyed: false }),
    () => newBatch({ count: CLIENT_BATCH, isManaged: false, isKeyed: true }),
    () => newTree({ count: CLIENT_TREE, isManaged: false, isKeyed: false }),
  ];
  await Promise.all([
    ...managed.map((work) => runOnce(round, work, pending)),
    ...clients.map(async (next) => {
      while (!isOver() && (await runOnce(round, next(), pending)));
    }),
    repeat(round, SINGLES, () => askKeyed(round, newManaged(round), pending.singles)),
    repeat(round, SINGLES, () => askManaged(round)),
    repeat(round, Number.POSITIVE_INFINITY, () => askClient(round)),
    ...Array.from({ length: SIGNERS }, (_, at) =>
      signAll(
        round,
        signing.filter((_wallet, index) => index % SIGNERS === at),
        pending,
      ),
    ),
    destroyAll(round, dying),
  ]);
  return pending;
}

async function runOnce(round: Round, work: StreamWork, pending: Pending): Promise<boolean> {
  const ending = await runStream(round, work);
  if (ending.kind === 'refused' && (ending.status < 500 || !round.isOver()))
    round.fault(`a stream was refused with ${ending.status} ${ending.code}`);
  if (ending.kind === 'broken' && !round.isOver()) round.fault('a stream broke, and nothing was killed');
  if (!work.isWhole && work.key !== undefined) pending.streams.push(work);
  return work.isWhole;
}

async function repeat({ isOver }: Round, times: number, ask: () => Promise<boolean>): Promise<void> {
  for (let done = 0; done < times && !isOver(); done += 1) if (!(await ask())) return;
}

async function signAll(round: Round, wallets: readonly ReceivedWallet[], pending: Pending) {
  for (const wallet of wallets) {
    if (round.isOver() || !(await askKeyed(round, newSign(round, wallet), pending.singles))) return;
  }
}

async function destroyAll(round: Round, wallets: readonly ReceivedWallet[]): Promise<void> {
  for (const wallet of wallets) {
    if (round.isOver() || !(await destroyWallet(round, wallet))) return;
  }
}
