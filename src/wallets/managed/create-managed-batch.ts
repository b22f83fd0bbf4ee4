import type { StreamAnswer } from '../../../runtime/rest-operation.ts';
import type { Reservation } from '../../account/billing/books/reservation.ts';
import { insertRows } from '../../store/insert-rows.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { assertNotRevoked } from '../assert-not-revoked.ts';
import { audit, charging } from '../audit.ts';
import { reserve } from '../charging/reserve.ts';
import type { BatchRequest } from '../create-requests.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { createWalletId } from '../wallet-id.ts';
import { endWork } from './end-work.ts';
import { type GroupRange, assertBatchSize } from './group-ranges.ts';
import { type MadeKeys, makeKeys } from './make-keys.ts';
import { printLines } from './print-wallet.ts';
import { countMadeWallets, readMadeWallets } from './made-wallets.ts';
import { toRow, type WalletRow } from '../wallet-row.ts';
import { withSealedKeys } from './with-sealed-keys.ts';

type Group = {
  readonly range: GroupRange;
  readonly ids: readonly string[];
  readonly made: MadeKeys;
  /** Generation of the sealed work when they were made. */
  readonly generation: number;
};

/**
 * Makes managed wallets group by group, as fast as the key backend makes keys; each group is stored, charged and audited in one transaction
 * before its lines are sent. The same request with its Idempotency-Key sends the existing ones again and continues after them.
 *
 * @throws ServiceError `managedBatchTooLarge`, `balanceInsufficient`, `creditLimitReached`, `tokenRevoked`, and those of `makeKeys`.
 */
export async function createManagedBatch(
  context: WalletContext,
  { count, format: form }: BatchRequest,
): Promise<StreamAnswer> {
  const { stored, next } = await countMadeWallets(context);
  const end = context.claim.state === 'done' ? next : Math.max(count, next);
  assertBatchSize(context, end - next);
  const reservation = await reserve(context, { operation: 'wallet_creation', units: end - next });
  const chunks = stream(context, { form, next, end, reservation });
  return { kind: 'stream', form, count: stored + end - next, chunks };
}

type Batch = {
  readonly form: StreamAnswer['form'];
  readonly next: number;
  readonly end: number;
  readonly reservation: Reservation;
};

async function* stream(context: WalletContext, batch: Batch): StreamAnswer['chunks'] {
  const { form, next, end, reservation } = batch;
  let [isFirst, isDone] = [true, false];
  const printed = (rows: readonly WalletRow[]) => {
    const bytes = printLines(rows, form, isFirst);
    isFirst = false;
    return { bytes, count: rows.length };
  };
  try {
    for await (const rows of readMadeWallets(context)) yield printed(rows);
    for await (const group of lookahead(steps(context, next, end), ({ made }) => made.drop())) {
      const rows = await withSealedKeys(context, async () =>
        commit(context, await renew(context, group), reservation),
      );
      isDone = group.range.isLast;
      yield printed(rows);
    }
    if (isFirst) yield printed([]);
  } finally {
    await endWork(context, reservation, isDone);
  }
}

function* steps(context: WalletContext, next: number, end: number): Generator<() => Promise<Group>> {
  const pace = new PacedSize();
  for (let from = next; from < end; ) {
    const count = Math.min(pace.size, end - from);
    const range = { from, count, isLast: from + count === end };
    yield () => pace.measured(count, () => make(context, range));
    from += count;
  }
}

async function make(context: WalletContext, range: GroupRange): Promise<Group> {
  const generation = context.sealedWork.generation();
  const ids = Array.from({ length: range.count }, createWalletId);
  return { range, ids, made: await makeKeys(context, ids), generation };
}

/** Returns the group as it is, or made again if the master key may have changed while the client did not read. */
async function renew(context: WalletContext, group: Group): Promise<Group> {
  if (context.sealedWork.generation() === group.generation) return group;
  await group.made.drop();
  return make(context, group.range);
}

async function commit(
  context: WalletContext,
  { range, ids, made }: Group,
  reservation: Reservation,
): Promise<readonly WalletRow[]> {
  const { money, clock, claim, signal } = context;
  const createdAt = new Date(clock.nowMs());
  const rows = made.keys.map((key, at) =>
    toRow(context, key, { id: ids[at] ?? '', kind: 'single', workSeq: range.from + at }, createdAt),
  );
  try {
    signal.throwIfAborted();
    assertNotRevoked(context);
    await transact(context, async (tx) => {
      await (range.isLast ? claim.finish(tx, 'wallets') : claim.hold(tx));
      const charge = range.isLast ? money.settle : money.charge;
      const receipt = await charge(tx, reservation, rows.length, clock.nowMs());
      await made.keep?.(tx);
      insertRows(tx, wallets, rows);
      const facts = rows.map(({ id }) => ({ action: 'create', outcome: 'ok', walletId: id }));
      await audit(tx, context, charging(facts, [receipt.charge]));
      assertNotRevoked(context);
    });
  } catch (error) {
    await made.drop();
    throw error;
  }
  return rows;
}

/**
 * Yields the results of steps in order, each begun while the one before is being used. A failing step throws, and no further one begins;
 * `drop` gets results that nobody reads.
 */
async function* lookahead<T>(
  steps: Iterable<() => Promise<T>>,
  drop: (value: T) => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  const iterator = steps[Symbol.iterator]();
  let next = begin(iterator);
  try {
    while (next !== undefined) {
      const value = await next;
      next = begin(iterator);
      yield value;
    }
  } finally {
    await next?.then(drop, () => undefined);
  }
}

function begin<T>(steps: Iterator<() => Promise<T>>): Promise<T> | undefined {
  const step = steps.next();
  if (step.done === true) return undefined;
  const made = step.value();
  // A failure is thrown when the reader reaches it; before that it must not count as unhandled.
  made.catch(() => undefined);
  return made;
}

/** Target duration of a group, so that lines keep coming at any pace of the key backend. */
const TARGET_MS = 1_000;
/** Enough to keep every session of a token busy, and the maximum of one group. */
const [MIN, MAX] = [16, 512];
/** Maximum growth from one group to the next: a pace measured over few keys is unreliable. */
const MAX_GROWTH = 8;

/**
 * Number of keys to make together: as many as the backend makes in a second, by its last pace. The first group is small, so that the first
 * line is sent at once.
 */
export class PacedSize {
  readonly #nowMs: () => number;
  #size = MIN;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Makes `count` keys, and uses their pace for the next group. */
  async measured<T>(count: number, make: () => Promise<T>): Promise<T> {
    const startMs = this.#nowMs();
    const made = await make();
    const tookMs = this.#nowMs() - startMs;
    const inTarget = Math.floor((count * TARGET_MS) / Math.max(tookMs, 1));
    this.#size = Math.min(Math.max(inTarget, MIN), count * MAX_GROWTH, MAX);
    return made;
  }
}
