import { setTimeout as pause } from 'node:timers/promises';
import { refillAccount, asNotified, isSameAccount } from './refill-account.ts';
import { KINDS, contextSlot } from './read-notice.ts';
import type { ResumedNode, ResumePoints } from './resume-points.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import type { SignatureChecks } from './signature-checks.ts';
import { readNode, readSlot, type AskedNode, NodeError, readNodeValue } from './node-reads.ts';
import { stringifyJson, parseJson, scanItems } from '../../../core/rpc/json.ts';
import { type BlockTransaction, readBlock } from './read-block.ts';
import { membersOf } from '../../nodes/pubsub-message.ts';
import { isUnanswered } from '../../nodes/pubsub-connection.ts';

export type RestoreParts = ResumedNode & {
  readonly checks: SignatureChecks;
  /** Called for each failed backfill. */
  readonly onFailure: (error: unknown) => void;
};

/** A gap that is sent only if the ledger was replaced. */
const NO_SLOTS = { fromSlot: 0, toSlot: -1 };
/** Most calls to the node at the same time. */
const CONCURRENCY = 16;

/**
 * Backfills what resumed subscriptions have missed: accounts and programs by their latest state, signatures by their status,
 * logs from the missed blocks. What cannot be backfilled is reported as a gap to all subscribers, before anything newer.
 */
export async function backfill(lost: readonly SharedSubscription[], parts: RestoreParts): Promise<void> {
  const blocks = lost.filter(({ info }) => info.name === 'logsSubscribe' || info.name === 'programSubscribe');
  const others = lost.filter((shared) => !blocks.includes(shared));
  const byCommitment = Map.groupBy(blocks, ({ commitment }) => commitment);
  await Promise.all([
    forEachOf(others, (shared) => backfillOne(shared, parts)),
    ...[...byCommitment].map(([commitment, subscriptions]) =>
      backfillBlocks(commitment, subscriptions, parts),
    ),
  ]);
}

async function backfillOne(shared: SharedSubscription, parts: RestoreParts): Promise<void> {
  switch (shared.info.refill) {
    case 'state':
      return orGap([shared], parts, () => refillAccount(shared, parts));
    case 'status':
      shared.tellGap(NO_SLOTS);
      shared.resume();
      return parts.checks.add(shared);
    case 'blocks':
      // Only the node can tell which transactions of a block a filter would keep.
      if (shared.params[0] !== 'all') return leaveGap(shared, parts);
      return orGap([shared], parts, () => refillWholeBlocks(shared, parts));
    case 'none':
      return leaveOpenGap(shared, parts);
  }
}

function backfillBlocks(
  commitment: string,
  subscriptions: readonly SharedSubscription[],
  parts: RestoreParts,
): Promise<void> {
  const { node, pointAt } = parts;
  return orGap(subscriptions, parts, () => refillFromBlocks({ node, pointAt, commitment, subscriptions }));
}

/** A failure leaves a gap, unless the node is lost again: then the next one is asked. */
async function orGap(
  subscriptions: readonly SharedSubscription[],
  parts: RestoreParts,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!parts.node.isCurrent()) return;
    parts.onFailure(error);
    for (const shared of subscriptions) if (shared.missingFrom !== undefined) await leaveGap(shared, parts);
  }
}

/** The gap ends with the node's newest slot; if the node does not report that either, with the next notification. */
async function leaveGap(shared: SharedSubscription, { node, pointAt }: RestoreParts): Promise<void> {
  const toSlot = await newestSlotAt(pointAt);
  if (!node.isCurrent()) return;
  if (toSlot === undefined) {
    shared.resumeAfterGap();
    return;
  }
  shared.tellGap({ fromSlot: shared.missingFrom ?? 0, toSlot });
  shared.resume();
}

/** The gap ends before the next notification; if that may be about any slot, also after the node's newest one. */
async function leaveOpenGap(shared: SharedSubscription, { node, pointAt }: RestoreParts): Promise<void> {
  if (KINDS[shared.info.name].order !== 'free') return shared.resumeAfterGap();
  const newestSlot = await newestSlotAt(pointAt);
  if (node.isCurrent()) shared.resumeAfterGap(newestSlot ?? shared.missingFrom);
}

async function newestSlotAt(pointAt: ResumePoints): Promise<number | undefined> {
  const point = await pointAt('processed').catch(() => undefined);
  return point?.toSlot;
}

/** Processes items with limited concurrency. */
export async function forEachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void> | void,
  atOnce = CONCURRENCY,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

type Config = {
  readonly encoding?: string;
  readonly transactionDetails?: string;
  readonly showRewards?: boolean;
  readonly maxSupportedTransactionVersion?: number;
};

/** Nodes encode blocks of subscriptions in base64 by default, those of calls in JSON. */
const DEFAULT_ENCODING = 'base64';

/** Sends the missed blocks, in order, for a subscription to everything in every block. A block that cannot be read is a gap. */
async function refillWholeBlocks(shared: SharedSubscription, { node, pointAt }: ResumedNode): Promise<void> {
  const { commitment, catchUp, params } = shared;
  const { showRewards, ...config } = (params[1] ?? {}) as Config;
  const asked = { encoding: DEFAULT_ENCODING, ...config, commitment, rewards: showRewards ?? false };
  const { slot: lastSlot, toSlot } = await pointAt(commitment);
  const firstSlot = firstOf([shared], lastSlot, node);
  shared.tellGap({ fromSlot: unreadFrom(shared), toSlot: Math.min(firstSlot - 1, lastSlot) });
  for (const slot of await listBlocks(node, firstSlot, lastSlot, commitment)) {
    const block = await inTime(node, () => readNode(node, 'getBlock', [slot, asked]));
    if (!node.isCurrent()) return;
    catchUp.readUntil = slot;
    if (block === undefined) shared.tellGap({ fromSlot: slot, toSlot: slot });
    else
      shared.notify(
        Buffer.from(`{"context":{"slot":${slot}},"value":{"slot":${slot},"block":${block},"err":null}}`),
      );
  }
  shared.tellGap({ fromSlot: Math.max(lastSlot + 1, unreadFrom(shared)), toSlot });
  shared.resume();
}

type BlocksRefill = ResumedNode & {
  readonly commitment: string;
  /** Subscriptions of this commitment: to logs, and to programs. */
  readonly subscriptions: readonly SharedSubscription[];
};

const BLOCKS_AT_ONCE = 4;

/**
 * Backfills logs, and finds the written accounts of programs, from the missed blocks: each is read once for all subscriptions
 * of a commitment. Blocks that could not be read are reported as gaps.
 */
async function refillFromBlocks(refill: BlocksRefill): Promise<void> {
  const { node, pointAt, commitment, subscriptions } = refill;
  const level = commitment === 'processed' ? 'confirmed' : commitment;
  const { slot: lastSlot, toSlot } = await pointAt(level);
  const missed = subscriptions.filter(({ missingFrom }) => missingFrom !== undefined);
  const firstSlot = firstOf(missed, lastSlot, node);
  for (const shared of missed) {
    if (shared.info.refill === 'blocks')
      shared.tellGap({ fromSlot: unreadFrom(shared), toSlot: Math.min(firstSlot - 1, lastSlot) });
  }
  const readers = new LogReaders(missed.filter(({ info }) => info.refill === 'blocks'));
  const slots = await listBlocks(node, firstSlot, lastSlot, level);
  for (let start = 0; start < slots.length; start += BLOCKS_AT_ONCE) {
    const some = slots.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((slot) => inTime(node, () => readBlock(node, slot, level))));
    if (!node.isCurrent()) return;
    for (const [index, slot] of some.entries())
      takeBlock(missed, readers, { slot, transactions: blocks[index] });
  }
  const newestSlot = Math.max(toSlot, level === commitment ? -1 : await readSlot(node, commitment));
  for (const shared of missed) {
    if (!node.isCurrent()) return;
    if (shared.info.refill === 'state') await refillProgram(shared, node, newestSlot);
    else finishLogs(shared, lastSlot, newestSlot);
  }
}

type Block = { readonly slot: number; readonly transactions: readonly BlockTransaction[] | undefined };

/** Gives a block to the subscriptions that have not read it; `readers` are those to logs. */
function takeBlock(
  missed: readonly SharedSubscription[],
  readers: LogReaders,
  { slot, transactions }: Block,
): void {
  const unread = missed.filter((shared) => slot >= unreadFrom(shared));
  for (const shared of unread) {
    const { info, catchUp } = shared;
    catchUp.readUntil = slot;
    if (info.refill === 'state') {
      for (const { writable } of transactions ?? [])
        for (const account of writable) catchUp.written.add(account);
    } else if (transactions === undefined) shared.tellGap({ fromSlot: slot, toSlot: slot });
  }
  const reading = new Set(unread);
  for (const transaction of transactions ?? []) {
    const { signature, err, logs } = transaction;
    let result: Buffer | undefined;
    for (const shared of readers.of(transaction)) {
      if (!reading.has(shared)) continue;
      result ??= Buffer.from(stringifyJson({ context: { slot }, value: { signature, err, logs } }));
      shared.notify(result);
    }
  }
}
/** Blocks are read once they are confirmed: at processed, what was missed after that is a gap. */
function finishLogs(shared: SharedSubscription, lastSlot: number, newestSlot: number): void {
  const fromSlot = Math.max(lastSlot + 1, unreadFrom(shared));
  shared.tellGap({ fromSlot, toSlot: newestSlot });
  shared.resume();
}

/** Subscriptions to logs, by what they look for: a transaction finds those that it concerns without a look at the others. */
export class LogReaders {
  readonly #byMention = new Map<string, SharedSubscription[]>();
  readonly #ofAll: SharedSubscription[] = [];
  readonly #ofVotesToo: SharedSubscription[] = [];

  constructor(subscriptions: readonly SharedSubscription[]) {
    for (const shared of subscriptions) {
      const [filter] = shared.params;
      if (filter === 'allWithVotes') this.#ofVotesToo.push(shared);
      else if (filter === 'all') this.#ofAll.push(shared);
      else for (const address of (filter as Mentions).mentions) this.#add(address, shared);
    }
  }

  /** Returns the subscriptions that see a transaction, each once. */
  of({ isVote, accounts }: Pick<BlockTransaction, 'isVote' | 'accounts'>): ReadonlySet<SharedSubscription> {
    const found = new Set(this.#ofVotesToo);
    if (!isVote) for (const shared of this.#ofAll) found.add(shared);
    for (const address of accounts)
      for (const shared of this.#byMention.get(address) ?? []) found.add(shared);
    return found;
  }

  #add(address: string, shared: SharedSubscription): void {
    const known = this.#byMention.get(address);
    if (known === undefined) this.#byMention.set(address, [shared]);
    else known.push(shared);
  }
}

type Mentions = { readonly mentions: readonly string[] };

/**
 * Sends the state of a program's accounts that transactions of the missed blocks could write, and the gap before it, to
 * `newestSlot` at least: states in between are lost.
 */
async function refillProgram(shared: SharedSubscription, node: AskedNode, newestSlot: number): Promise<void> {
  const [program, config] = shared.params;
  const asked = { ...(config as object | undefined), commitment: shared.commitment, withContext: true };
  const answer = await readNode(node, 'getProgramAccounts', [program, asked]);
  const slot = contextSlot(parseJson(answer.toString()));
  const value = membersOf(answer).get('value');
  if (slot === undefined || value === undefined) throw new Error('the node gave no accounts');
  const changed = new Set([...shared.catchUp.written, ...heldAccounts(shared, slot)]);
  const known = new Map([...shared.latest].map(([pubkey, result]) => [pubkey, accountOf(result)]));
  shared.tellGap({ fromSlot: shared.missingFrom ?? 0, toSlot: Math.max(slot, newestSlot) });
  for (const { start, end } of scanItems(value) ?? []) {
    const item = membersOf(value.subarray(start, end));
    const [pubkey, read] = [String(parseJson(String(item.get('pubkey')))), item.get('account')];
    if (read === undefined || !changed.has(pubkey) || slot < shared.lastSlot) continue;
    const [account, last] = [asNotified(read), known.get(pubkey)];
    if (last !== undefined && isSameAccount(account, last)) continue;
    const text = `{"context":{"slot":${slot}},"value":{"pubkey":"${pubkey}","account":${account}}}`;
    shared.notify(Buffer.from(text));
  }
  shared.resume(slot);
}

/** The accounts with held results that the state of this slot already includes. */
function heldAccounts(shared: SharedSubscription, slot: number): readonly string[] {
  const notices = shared.held.map((result) => shared.read(result)).filter((notice) => notice !== undefined);
  return notices.filter((notice) => (notice.slot ?? 0) <= slot).map(({ subject }) => subject);
}

function accountOf(result: Buffer): string | undefined {
  return membersOf(membersOf(result).get('value') ?? result)
    .get('account')
    ?.toString();
}

/** The time back to which blocks are read after a loss; anything older is a gap. */
const WINDOW_MS = 400_000;
/** Most blocks that are read, whatever the slot time. */
const MAX_SLOTS = 4_000;
const ATTEMPTS = 6;
const RETRY_MS = 150;
/** Error codes of a block that the node no longer has, will never have, or cannot encode as requested. */
const GONE: ReadonlySet<number> = new Set([-32001, -32007, -32009, -32015]);

/** Returns the first slot whose block is still to be read: blocks read before another loss are not read again. */
function unreadFrom({ missingFrom = 0, catchUp }: SharedSubscription): number {
  return Math.max(missingFrom, catchUp.readUntil + 1);
}

/** Returns the first slot to read for some subscriptions, so that the range up to `lastSlot` stays within the limits. */
export function firstOf(
  missed: readonly SharedSubscription[],
  lastSlot: number,
  { pace }: Pick<AskedNode, 'pace'>,
): number {
  const slots = Math.min(pace.slotsIn(WINDOW_MS) ?? MAX_SLOTS, MAX_SLOTS);
  const unread = missed.reduce(
    (first, shared) => Math.min(first, unreadFrom(shared)),
    Number.POSITIVE_INFINITY,
  );
  return Math.max(unread, lastSlot - slots + 1);
}

/** Returns the slots that have a block, both ends included. Throws like `readNode`. */
async function listBlocks(
  node: AskedNode,
  firstSlot: number,
  lastSlot: number,
  commitment: string,
): Promise<readonly number[]> {
  if (firstSlot > lastSlot) return [];
  const listed = await readNodeValue(node, 'getBlocks', [firstSlot, lastSlot, { commitment }]);
  return (listed as readonly number[]).map(Number);
}

/**
 * Reads from a block, with retries, as a node may need a moment after it has announced it; undefined if it cannot be read.
 *
 * @throws ServiceError `upstreamTimeout`: to ask again, or for more blocks, would take as long each time.
 */
async function inTime<T>(node: AskedNode, read: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 1; node.isCurrent(); attempt++) {
    try {
      return await read();
    } catch (error) {
      if (isUnanswered(error)) throw error;
      if (attempt === ATTEMPTS || (error instanceof NodeError && GONE.has(error.code))) return undefined;
      await pause(RETRY_MS * attempt);
    }
  }
  return undefined;
}
