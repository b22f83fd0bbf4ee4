import { randomUUID } from 'node:crypto';
import { type Ending, readWallets, type ReceivedWallet } from '../../wallets/kill/read-wallets.ts';
import type { ChargedOperation } from './charge-rule.ts';
import type { Round } from './round.ts';

/** No request takes so long: one that does is a fault, and ends the run. */
export const REQUEST_DEADLINE_MS = 60_000;

/** A stream of wallets that is asked for, and asked for again after a kill where it has an Idempotency-Key. */
export type StreamWork = {
  readonly path: '/batch' | '/hd';
  readonly body: Readonly<Record<string, unknown>>;
  readonly operation: ChargedOperation;
  /** Lines that are charged for; a master comes ahead of them, free. */
  readonly units: number;
  readonly hasMaster: boolean;
  readonly isManaged: boolean;
  readonly key: string | undefined;
  /** Managed wallets that an earlier try told of. */
  told: readonly ReceivedWallet[];
  isWhole: boolean;
};

type Asked = { readonly count: number; readonly isManaged: boolean; readonly isKeyed: boolean };

const common = ({ count, isManaged, isKeyed }: Asked) => ({
  ...{ units: count, isManaged, key: isKeyed ? randomUUID() : undefined, told: [], isWhole: false },
});
const custodyOf = (isManaged: boolean): string => (isManaged ? 'managed' : 'client');

/** A batch. */
export const newBatch = (asked: Asked): StreamWork => ({
  ...common(asked),
  ...{ path: '/batch', operation: 'wallet_creation', hasMaster: false },
  body: { count: asked.count, custody: custodyOf(asked.isManaged) },
});

/** A master and its children. */
export const newTree = (asked: Asked): StreamWork => ({
  ...common(asked),
  ...{ path: '/hd', operation: 'hd_child_derivation', hasMaster: true },
  body: {
    ...{ custody: custodyOf(asked.isManaged), format: 'jsonl' },
    accounts: { start: 0, count: asked.count },
  },
});

/**
 * Asks for a stream. Of managed wallets what an earlier try told comes again, first and in the same order; of client wallets each try is a
 * work of its own, charged for by itself.
 */
export async function runStream(round: Round, work: StreamWork): Promise<Ending> {
  const { server, book } = round;
  const { path, body, key, operation, units, hasMaster, isManaged } = work;
  const earlier = work.told;
  const now: ReceivedWallet[] = [];
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const signal = AbortSignal.timeout(REQUEST_DEADLINE_MS);
  const ending = await readWallets(server.send(path, body, { headers, signal }), (wallet) => {
    if (isManaged) takeManaged(round, earlier[now.length], wallet);
    now.push(wallet);
    if (isManaged && hasMaster) placeInTree(round, now, wallet);
  });
  const free = hasMaster ? 1 : 0;
  const came = Math.max(0, Math.max(now.length, earlier.length) - free);
  const before = Math.max(0, earlier.length - free);
  book.deliver(operation, came - before);
  if (now.length > earlier.length && isManaged) work.told = now;
  if (ending.kind === 'whole' && now.length !== units + free)
    round.fault(`a stream that ended well has ${now.length} lines instead of ${units + free}`);
  work.isWhole = ending.kind === 'whole';
  // Managed work that has a key goes on later: what it lacks is asked for again, so that it is not lost.
  const mayCharge = ending.kind === 'broken' || (ending.kind === 'refused' && ending.status >= 500);
  if (mayCharge && !(isManaged && key !== undefined)) book.interrupt(operation, units - came);
  return ending;
}

function takeManaged(
  { book, fault }: Round,
  before: ReceivedWallet | undefined,
  wallet: ReceivedWallet,
): void {
  if (before === undefined) book.tell(wallet);
  else if (before.wallet_id !== wallet.wallet_id || before.address !== wallet.address)
    fault(`a repeated stream told ${wallet.wallet_id} where it had told ${before.wallet_id}`);
}

/** The master comes first, then its children from x = 0. */
function placeInTree({ book }: Round, told: readonly ReceivedWallet[], { wallet_id }: ReceivedWallet): void {
  const masterId = told[0]?.wallet_id ?? '';
  if (told.length === 1) book.masters.add(masterId);
  else book.children.set(wallet_id, { masterId, x: told.length - 2 });
}
