import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { KeyChunk, KeyPool } from '../../src/core/keys/pool.ts';
import type { RawWork } from './raw-keys.ts';

/** The work for the pool, and the raw work that bounds it. */
export type KeyLoad = {
  readonly name: string;
  readonly what: string;
  readonly raw: RawWork['kind'];
  readonly wallets: number;
  readonly stream: (pool: KeyPool, wallets: number) => AsyncIterable<KeyChunk>;
};

/** The speed of some work: by the clock, and by the CPU time of the whole process. */
export type Pace = { readonly perSecond: number; readonly cpuUs: number };

const signal = new AbortController().signal;
const createdAt = new Date(0);
const source = { kind: 'seed', seed: new Uint8Array(64).fill(1) } as const;
const FEW = { start: 0, count: 1 };

export const KEY_LOADS: readonly KeyLoad[] = [
  {
    name: 'batch',
    what: 'a batch of 10,000 as JSON lines',
    raw: 'keypair',
    wallets: 10_000,
    stream: (pool, count) => pool.batch({ count, format: 'jsonl', createdAt }, signal),
  },
  {
    name: 'mnemonics',
    what: 'a batch with mnemonics of 12 words',
    raw: 'pbkdf2',
    wallets: 600,
    stream: (pool, count) => pool.batch({ count, mnemonicWords: 12, format: 'jsonl', createdAt }, signal),
  },
  {
    name: 'accounts',
    what: "children of one master, m/44'/501'/0…9999'/0': two HMACs each",
    raw: 'keypair',
    wallets: 10_000,
    stream: (pool, count) =>
      pool.hd({ source, accounts: { start: 0, count }, change: FEW, format: 'jsonl', createdAt }, signal),
  },
  {
    name: 'changes',
    what: "children of one account, m/44'/501'/0'/0…9999': one HMAC each",
    raw: 'keypair',
    wallets: 10_000,
    stream: (pool, count) =>
      pool.hd({ source, accounts: FEW, change: { start: 0, count }, format: 'jsonl', createdAt }, signal),
  },
];

/** Reads a load to its end and wipes what it read, as a server does. */
export async function paceOfPool(pool: KeyPool, { stream, wallets }: KeyLoad): Promise<Pace> {
  return paceOf(async () => {
    let read = 0;
    for await (const { bytes, count } of stream(pool, wallets)) {
      pool.engine.wipe(bytes);
      read += count;
    }
    return read;
  });
}

/** Lets as many threads do the raw work as the pool has. */
export async function paceOfRaw(threads: number, work: RawWork): Promise<Pace> {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./raw-keys.ts', import.meta.url), { workerData: work }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const pace = await paceOf(async () => {
    const counts = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.postMessage('go');
    return (await Promise.all(counts)).reduce((sum, [count]) => sum + Number(count), 0);
  });
  await Promise.all(workers.map((worker) => worker.terminate()));
  return pace;
}

async function paceOf(work: () => Promise<number>): Promise<Pace> {
  const [startMs, startUs] = [performance.now(), process.cpuUsage()];
  const done = await work();
  const { user, system } = process.cpuUsage(startUs);
  return { perSecond: (done * 1000) / (performance.now() - startMs), cpuUs: (user + system) / done };
}
