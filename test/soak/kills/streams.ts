import { randomUUID } from 'node:crypto';
import { eventually } from '../../../src/core/eventually.ts';
import { type Ending, readWallets, type ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import type { Round } from './workload.ts';

/** No request takes this long: one that does is a fault, and ends the run. */
export const REQUEST_DEADLINE_MS = 60_000;
/** A server settles work whose store or signer failed a second later, and again until that succeeds; until then its key is in use. */
const SETTLED_MS = 60_000;

/** The count of a book that each operation goes into. */
const COUNTS = { wallet_creation: 'created', hd_child_derivation: 'derived' } as const;

/** A stream of wallets that is asked for, and asked for again after a kill where it has an Idempotency-Key. */
export type StreamWork = {
  readonly path: '/batch' | '/hd';
  readonly body: Readonly<Record<string, unknown>>;
  readonly operation: keyof typeof COUNTS;
  /** Lines that are charged for; a master comes ahead of them, free. */
  readonly units: number;
  readonly free: 0 | 1;
  readonly isManaged: boolean;
  readonly key: string | undefined;
  /** The wallets of an earlier try. */
  told: readonly ReceivedWallet[];
};

type Asked = { readonly count: number; readonly isManaged: boolean; readonly isKeyed: boolean };

const custodyOf = (isManaged: boolean): string => (isManaged ? 'managed' : 'client');
const common = ({ count, isManaged, isKeyed }: Asked) => {
  return { units: count, isManaged, key: isKeyed ? randomUUID() : undefined, told: [] };
};

/** A batch. */
export const newBatch = (asked: Asked): StreamWork => ({
  ...common(asked),
  path: '/batch',
  operation: 'wallet_creation',
  free: 0,
  body: { count: asked.count, custody: custodyOf(asked.isManaged) },
});

/** A master and its children. */
export const newTree = (asked: Asked): StreamWork => ({
  ...common(asked),
  path: '/hd',
  operation: 'hd_child_derivation',
  free: 1,
  body: {
    custody: custodyOf(asked.isManaged),
    format: 'jsonl',
    accounts: { start: 0, count: asked.count },
  },
});

/**
 * Asks for a stream, and for one with a key again when what was killed is back: managed work then has to become whole; of client work the
 * server may say that it kept no secret. @returns whether it came whole at once.
 */
export async function runStream(round: Round, work: StreamWork): Promise<boolean> {
  const { findings, isOver, recovered } = round;
  const first = await askStream(round, work);
  findings.check('broken_stream');
  if (first.kind === 'whole') return true;
  if (first.kind === 'refused' ? first.status < 500 || !isOver() : !isOver())
    findings.break('broken_stream', `a stream ended as ${JSON.stringify(first)}, and nothing was killed`);
  if (work.key === undefined) return false;
  await recovered;
  const again = async (): Promise<Ending | undefined> => {
    const ending = await askStream(round, work);
    return ending.kind === 'refused' && ending.code === 'idempotency_key_in_use' ? undefined : ending;
  };
  const ending = await eventually('the key of a stream is free again', again, { timeoutMs: SETTLED_MS });
  const isSecretGone = ending.kind === 'refused' && ending.code === 'idempotency_secret_not_kept';
  if (ending.kind !== 'whole' && (work.isManaged || !isSecretGone))
    findings.break('broken_stream', `asked again, a stream with a key ended as ${JSON.stringify(ending)}`);
  return false;
}

/**
 * Asks for a stream once. Of managed wallets what an earlier try told comes again, first and in the same order; of client wallets each try
 * is a work of its own, charged for by itself.
 */
async function askStream({ server, book, findings }: Round, work: StreamWork): Promise<Ending> {
  const { path, body, key, operation, units, free, isManaged } = work;
  const earlier = isManaged ? work.told : [];
  const now: ReceivedWallet[] = [];
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const signal = AbortSignal.timeout(REQUEST_DEADLINE_MS);
  const ending = await readWallets(server.send(path, body, { headers, signal }), (wallet) => {
    const { wallet_id: id, address } = wallet;
    const before = earlier[now.length];
    if (before !== undefined && (before.wallet_id !== id || before.address !== address))
      findings.break('broken_stream', `a repeated stream told ${id} where it had told ${before.wallet_id}`);
    now.push(wallet);
    if (!isManaged || before !== undefined) return;
    book.living.set(id, { id, address });
    if (free === 0) return;
    const master = now[0]?.wallet_id ?? '';
    if (now.length === 1) book.trees.set(id, { master: { id, address }, children: new Map() });
    else book.trees.get(master)?.children.set(`m/44'/501'/${now.length - 2}'/0'`, { id, address });
  });
  const before = Math.max(0, earlier.length - free);
  const came = Math.max(before, now.length - free);
  book[COUNTS[operation]] += came - before;
  if (now.length > earlier.length) work.told = now;
  if (ending.kind === 'whole' && now.length !== units + free)
    findings.break('broken_stream', `a stream that ended well has ${now.length} lines of ${units + free}`);
  // Managed work that has a key is asked for again: what it lacks is not lost.
  const mayCharge = ending.kind === 'broken' || (ending.kind === 'refused' && ending.status >= 500);
  if (mayCharge && !(isManaged && key !== undefined))
    book.interrupted.set(operation, (book.interrupted.get(operation) ?? 0) + units - came);
  return ending;
}
