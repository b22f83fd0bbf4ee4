import { base58 } from '@scure/base';
import { eventually } from '../../../src/core/eventually.ts';
import { Connection } from '../../bench/connection.ts';
import { freshOf, requestFor } from '../../bench/send-load.ts';
import type { Ask } from '../../localnet/disk/ledger-process.ts';
import { newPayer, type Payer, signedTransfer } from '../../support/transfers.ts';

const PAYERS = 64;
const FUNDED = 1_000_000_000_000;
const INTERVAL_MS = 10;
const BLOCKHASH_MS = 2_000;
const MAX_CONNECTIONS = 128;

export type TransferLoad = {
  /** Number of transactions that were answered. */
  readonly sent: () => number;
  /** Delays from when each was due to its answer, in milliseconds; emptied by the call. */
  readonly takeDelays: () => readonly number[];
  /** Signatures of the sampled transactions, with the slot that was open when each was sent. */
  readonly samples: () => readonly { readonly signature: string; readonly slot: number }[];
  /** Stops sending, and resolves when all are answered. Throws the first error. */
  readonly stop: () => Promise<void>;
};

export type TransferLoadOptions = {
  readonly port: number;
  readonly perSecond: number;
  /** One transaction in this number is sampled. */
  readonly sampleEach: number;
  /** Returns the slot that is open; absent: that of the newest blockhash. */
  readonly openSlot?: () => number;
};

/** Sends transfers by sendTransaction with preflight at a rate, whether earlier ones have been answered or not. */
export async function startTransfers(
  ask: Ask,
  { port, perSecond, sampleEach, openSlot }: TransferLoadOptions,
): Promise<TransferLoad> {
  const payers = Array.from({ length: PAYERS }, newPayer);
  for (const { address } of payers) await ask('requestAirdrop', address, FUNDED);
  const last = payers.at(-1)?.address;
  await eventually('payers are funded', async () => {
    const { value } = (await ask('getBalance', last, { commitment: 'confirmed' })) as { value: number };
    return value > 0 ? true : undefined;
  });
  let latest = await readLatest(ask);
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const delays: number[] = [];
  const samples: { signature: string; slot: number }[] = [];
  let [due, begun, answered] = [0, 0, 0];
  let failure: Error | undefined;
  const startMs = performance.now();
  const send = (connection: Connection, dueMs: number): void => {
    const index = begun;
    begun += 1;
    const [from, to] = pair(payers, index);
    const text = signedTransfer(from, to.publicKey, BigInt(index + 1), latest.blockhash);
    if (index % sampleEach === 0)
      samples.push({
        signature: base58.encode(Buffer.from(text, 'base64').subarray(1, 65)),
        slot: openSlot?.() ?? latest.slot,
      });
    const params = [text, { encoding: 'base64', preflightCommitment: 'processed' }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
    connection.exchange(requestFor({ path: '/' }, { body }), (error) => {
      failure ??= error;
      answered += 1;
      delays.push(performance.now() - dueMs);
      idle.push(connection);
    });
  };
  const timer = setInterval(() => {
    due = Math.floor(((performance.now() - startMs) * perSecond) / 1000);
    while (begun < due && (idle.length > 0 || all.size < MAX_CONNECTIONS)) {
      const connection = freshOf(idle, all) ?? new Connection(port);
      all.add(connection);
      send(connection, startMs + (begun * 1000) / perSecond);
    }
  }, INTERVAL_MS);
  const renewal = setInterval(() => {
    readLatest(ask)
      .then((next) => {
        latest = next;
      })
      .catch((error: Error) => {
        failure ??= error;
      });
  }, BLOCKHASH_MS);
  return {
    sent: () => answered,
    takeDelays: () => delays.splice(0),
    samples: () => samples,
    stop: async () => {
      clearInterval(timer);
      clearInterval(renewal);
      await eventually('all are answered', () =>
        answered === begun || failure !== undefined ? true : undefined,
      );
      for (const connection of all) connection.close();
      if (failure !== undefined) throw failure;
    },
  };
}

function pair(payers: readonly Payer[], index: number): readonly [Payer, Payer] {
  const [from, to] = [payers[index % PAYERS], payers[(index + 1) % PAYERS]];
  if (from === undefined || to === undefined) throw new Error('no payers');
  return [from, to];
}

async function readLatest(ask: Ask): Promise<{ readonly blockhash: Uint8Array; readonly slot: number }> {
  const { context, value } = (await ask('getLatestBlockhash', { commitment: 'processed' })) as {
    readonly context: { readonly slot: number };
    readonly value: { readonly blockhash: string };
  };
  return { blockhash: base58.decode(value.blockhash), slot: context.slot };
}
