import { hash } from 'node:crypto';
import {
  SUBSCRIPTIONS,
  type SubscriptionInfo,
  type SubscriptionName,
} from '../../../../generated/ledger/subscriptions.ts';
import { COMMITMENTS, type Commitment } from '../../../core/rpc/commitment.ts';
import type { SubscriptionMetrics } from './subscription-counts.ts';
import { parseJson, stringifyJson } from '../../../core/rpc/json.ts';
import { type Gap, gapText } from './gap-text.ts';
import type { Notification, Subscriber } from '../../../core/rpc/notification.ts';
import { KINDS, type Notice, type Kind } from './read-notice.ts';

export type SharedOptions = {
  readonly id: number;
  readonly name: SubscriptionName;
  /** The canonical JSON text of its params. */
  readonly params: string;
  /** Makes the frame of a message. */
  readonly frame: (text: Buffer) => Buffer;
  readonly metrics: SubscriptionMetrics;
  /** Called with the size of each result of the node, once it is taken. */
  readonly onResult: (shared: SharedSubscription, sizeBytes: number) => void;
  /** Called when its last notification has been sent. */
  readonly onEnd: (shared: SharedSubscription) => void;
};

type Published = Omit<Notification, 'subscription' | 'frame' | 'commitment'> & { readonly text: Buffer };

type CatchUp = { readUntil: number; readonly written: Set<string> };

function nothingRead(): CatchUp {
  return { readUntil: -1, written: new Set() };
}

/** Most bytes of results held until the backfill is done; above it, the oldest become a gap. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** One subscription at the node, and all its subscribers. */
export class SharedSubscription {
  readonly id: number;
  readonly info: SubscriptionInfo;
  readonly paramsText: string;
  readonly params: readonly unknown[];
  readonly commitment: string;
  readonly subscribers = new Set<Subscriber>();
  /** Resolves with the error object with which the node refused the subscription, or with nothing once it has accepted it. */
  readonly opened = Promise.withResolvers<Buffer | undefined>();
  /** The number of subscribe calls that wait for it. */
  waiting = 0;
  /** The number of times it was sent to a node that was lost before it answered. */
  attempts = 0;
  /** The node's id for it; undefined while it has none. */
  nodeId: string | undefined;
  /** The gateway's own processing of results of the connected node; undefined: none. */
  prepare: ((result: Buffer) => Buffer) | undefined;
  isOpened = false;
  isEnded = false;
  /** The newest slot of the commitment when it was opened. */
  baseline: number | undefined;
  /** The newest slot that the node had announced when it accepted it; undefined if it had announced none. */
  announcedSlot: number | undefined;
  /** The first slot for which something may be missing; undefined if nothing is. */
  missingFrom: number | undefined;
  /** The progress of reading missed blocks: the last slot, and the accounts that they could write. */
  catchUp: CatchUp = nothingRead();
  /** The genesis hash of a replaced ledger, until subscribers were notified. */
  newGenesis: string | undefined;
  /** Length of its last pause, and its end (`performance.now()`). */
  pauseMs = 0;
  pausedUntilMs = -Infinity;
  readonly take = (result: Buffer): void => {
    this.#take(this.prepare?.(result) ?? result);
    this.#options.onResult(this, result.length);
  };
  readonly #options: SharedOptions;
  readonly #delivered: DeliveredNotifications;
  #latest = new Map<string, Buffer>();
  #latestSlot: number | undefined;
  /** Initially set, until there is a subscriber. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #leftOut: Gap | undefined;
  #isGapDue = false;
  #reachedSlot = -1;
  /** All updates up to this slot were sent, or reported as a gap when they were over. */
  #coveredSlot = -1;

  constructor(options: SharedOptions) {
    this.#options = options;
    this.id = options.id;
    this.info = SUBSCRIPTIONS[options.name];
    this.paramsText = options.params;
    this.params = parseJson(options.params) as readonly unknown[];
    this.commitment = commitmentOf(this.params);
    this.#delivered = new DeliveredNotifications(KINDS[options.name]);
  }

  /** The newest slot of which subscribers were notified. */
  get lastSlot(): number {
    return this.#delivered.lastSlot ?? -1;
  }

  /** The notifications of the newest slot, by subject. Kept only where a backfill reads the latest state. */
  get latest(): ReadonlyMap<string, Buffer> {
    return this.#latest;
  }

  /** The results received since `hold`. */
  get held(): readonly Buffer[] {
    return this.#held ?? [];
  }

  /** Holds results from now on. */
  hold(): void {
    this.#held = [];
    this.#isGapDue = false;
    this.#leftOut = undefined;
    this.#heldBytes = 0;
  }

  /** Sends the held results from `afterSlot` on, and every later result at once. Nothing is missing any more. */
  resume(afterSlot = -1): void {
    const [held, leftOut] = [this.held, this.#leftOut];
    this.#coveredSlot = Math.max(afterSlot, this.#coveredSlot);
    this.#held = undefined;
    this.#leftOut = undefined;
    if (leftOut !== undefined) this.tellGap(leftOut);
    if (!this.#isGapDue) this.missingFrom = undefined;
    this.catchUp = nothingRead();
    for (const result of held) {
      const notice = this.read(result);
      if (notice !== undefined && (notice.slot === undefined || notice.slot >= afterSlot))
        this.notify(result);
    }
  }

  /** Resumes without a backfill: the gap reaches to the next notification, and at least to `reachedSlot`. */
  resumeAfterGap(reachedSlot = -1): void {
    this.#reachedSlot = reachedSlot;
    this.#isGapDue = this.missingFrom !== undefined;
    this.resume();
  }

  /** Records that the node was lost; `settled`: everything up to that slot had been sent. Earlier missing slots stay missing. */
  lose(settled: number | undefined): void {
    this.nodeId = undefined;
    this.announcedSlot = undefined;
    this.hold();
    if (!this.isOpened) return;
    this.#held = undefined;
    if (this.missingFrom !== undefined) return;
    const { isOnePerSlot, order } = KINDS[this.info.name];
    const last = this.#delivered.lastSlot;
    const isTold = last !== undefined && order !== 'free';
    // The baseline may be of a node that was lost. One behind it that took over can send older slots: the gap begins after the last of those.
    const toldUntil = isTold ? last - (isOnePerSlot ? 0 : 1) : (this.baseline ?? -1);
    const quietUntil = order === 'strict' && last !== undefined ? -1 : (settled ?? -1);
    this.missingFrom = 1 + Math.max(toldUntil, quietUntil, this.#coveredSlot);
  }

  /** Starts over on another ledger. */
  reset(genesisHash: string): void {
    this.#delivered.reset();
    this.#coveredSlot = -1;
    this.#latest = new Map();
    this.missingFrom = 0;
    this.baseline = undefined;
    this.catchUp = nothingRead();
    this.newGenesis = genesisHash;
  }

  /** Reads the notice of a result; undefined if it is not of this kind. */
  read(result: Buffer): Notice | undefined {
    return KINDS[this.info.name].read(parseJson(result.toString()));
  }

  /** Notifies subscribers of a result, unless they have it or something newer. */
  notify(result: Buffer): void {
    const { metrics } = this.#options;
    const notice = this.read(result);
    if (this.isEnded) return;
    if (notice === undefined) {
      metrics.countDrop(this.info.name, 'malformed');
      return;
    }
    this.#tellGapBefore(notice);
    const verdict = this.#delivered.take(notice, result);
    if (verdict === 'new') {
      this.#publishResult(notice, result);
      this.#beginGapBehind(notice);
      return;
    }
    metrics.countDrop(this.info.name, verdict);
    const { slot } = notice;
    if (verdict === 'late' && slot !== undefined) this.tellGap({ fromSlot: slot, toSlot: slot });
  }

  #publishResult(notice: Notice, result: Buffer): void {
    const { metrics } = this.#options;
    if (this.info.refill === 'state') this.#keep(notice, result);
    const { notification } = this.info;
    const head = `{"jsonrpc":"2.0","method":"${notification}","params":{"result":`;
    const text = Buffer.concat([Buffer.from(head), result, Buffer.from(`,"subscription":${this.id}}}`)]);
    const isLatestOnly = this.info.congested === 'latest';
    this.#publish({ text, slot: notice.slot, isLatestOnly, countedAs: this.info.name });
    metrics.countNotification(this.info.name, this.subscribers.size);
    if (!notice.isLast) return;
    this.isEnded = true;
    this.#options.onEnd(this);
  }

  /** Reports a gap to subscribers; does nothing if the gap is empty and the ledger is the same. */
  tellGap(gap: Gap): void {
    const genesisHash = this.newGenesis;
    this.newGenesis = undefined;
    if (gap.fromSlot > gap.toSlot && genesisHash === undefined) return;
    const toSlot = Math.max(gap.fromSlot, gap.toSlot);
    const text = gapText(this.id, { fromSlot: gap.fromSlot, toSlot }, genesisHash);
    this.#publish({ text, slot: undefined, isLatestOnly: false, countedAs: undefined });
    this.#options.metrics.countGap(this.info.name);
  }

  #take(result: Buffer): void {
    const held = this.#held;
    if (held === undefined) {
      this.notify(result);
      return;
    }
    held.push(result);
    this.#heldBytes += result.length;
    while (this.#heldBytes > MAX_HELD_BYTES && held.length > 1) this.#leaveOut(held.shift());
  }

  /** Drops the oldest held result to make room. */
  #leaveOut(result: Buffer | undefined): void {
    if (result === undefined) return;
    this.#heldBytes -= result.length;
    this.#options.metrics.countDrop(this.info.name, 'held');
    const slot = this.read(result)?.slot;
    if (slot !== undefined) this.#leftOut = { fromSlot: this.#leftOut?.fromSlot ?? slot, toSlot: slot };
  }

  /** A gap without a known end ends before this notice, or in its slot if a slot can have several. */
  #tellGapBefore({ slot }: Notice): void {
    const fromSlot = this.missingFrom;
    if (!this.#isGapDue || fromSlot === undefined) return;
    const { isOnePerSlot } = KINDS[this.info.name];
    const lastSlot = Math.max(slot ?? fromSlot, this.#reachedSlot);
    if (lastSlot < fromSlot) return;
    this.#isGapDue = false;
    this.missingFrom = undefined;
    this.tellGap({ fromSlot, toSlot: isOnePerSlot ? lastSlot - 1 : lastSlot });
  }

  /** A node behind the lost one reports older slots: a gap that is still due begins behind what it has reported. */
  #beginGapBehind({ slot }: Notice): void {
    const { isOnePerSlot, order } = KINDS[this.info.name];
    if (slot === undefined || order === 'free' || this.missingFrom === undefined) return;
    this.missingFrom = Math.min(this.missingFrom, isOnePerSlot ? slot + 1 : slot);
  }

  #keep({ slot, subject }: Notice, result: Buffer): void {
    if (slot !== this.#latestSlot) this.#latest = new Map();
    this.#latestSlot = slot;
    this.#latest.set(subject, result);
  }

  /** Slots are processed when they are announced, roots are final; everything else has a commitment. */
  #slotCommitment(): Commitment {
    if (this.info.name === 'rootSubscribe') return 'finalized';
    if (this.info.refill === 'none') return 'processed';
    return COMMITMENTS.find((each) => each === this.commitment) ?? 'finalized';
  }

  #publish({ text, slot, isLatestOnly, countedAs }: Published): void {
    const frame = this.#options.frame(text);
    const commitment = slot === undefined ? undefined : this.#slotCommitment();
    const about = { slot, commitment, isLatestOnly, countedAs };
    const notification: Notification = { subscription: this.id, frame, ...about };
    for (const subscriber of this.subscribers) subscriber.deliver(notification);
  }
}

const DEFAULT_COMMITMENT = 'finalized';

/**
 * Returns the JSON text of checked params such that equivalent calls have the same text: members are sorted; nulls, empty
 * configs and the commitment are omitted if it is the default or unknown to nodes, which ignore it. A node accepts it as it
 * would the client's own.
 */
export function canonicalParams(params: unknown): string {
  const items = Array.isArray(params) ? params.map(tidy) : [];
  while (items.length > 0 && isEmpty(items.at(-1))) items.pop();
  return stringifyJson(items);
}

/** Returns the commitment of a subscription: nodes default to `finalized` if it is absent or unknown. */
function commitmentOf(params: readonly unknown[]): string {
  const config = params[1];
  const asked = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return isOtherCommitment(asked) ? asked : DEFAULT_COMMITMENT;
}

function isOtherCommitment(value: unknown): value is string {
  return value === 'processed' || value === 'confirmed';
}

type Config = { readonly commitment?: unknown };

function tidy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(tidy);
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null && (name !== 'commitment' || isOtherCommitment(member)))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, tidy(member)]));
}

function isEmpty(item: unknown): boolean {
  if (item === null || item === undefined) return true;
  return typeof item === 'object' && !Array.isArray(item) && Object.keys(item).length === 0;
}

/** `new`: to be sent; `known`: already sent; `late`: not sent, but something newer was. */
type Verdict = 'new' | 'known' | 'late';

/** Slots of which every sent subject is remembered. */
const REMEMBERED_SLOTS = 64;
/** Most subjects remembered in all, about 100 bytes each. */
const REMEMBERED_SUBJECTS = 20_000;

/** The notices that a subscription has sent: nothing is sent twice, and nothing older after something newer. */
class DeliveredNotifications {
  readonly #kind: Kind;
  readonly #slots = new Map<number, Map<string, string>>();
  #subjects = 0;
  #lastSlot: number | undefined;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** The newest slot of a sent notice. */
  get lastSlot(): number | undefined {
    return this.#lastSlot;
  }

  /** Classifies a notice, and remembers it if it is new. One without a slot always is. */
  take({ slot, subject, isFailure }: Notice, result: Buffer): Verdict {
    if (slot === undefined) return 'new';
    const { order, mayRepeat } = this.#kind;
    const known = this.#slots.get(slot)?.get(subject);
    const text = mayRepeat ? hash('sha1', result, 'base64') : '';
    if (known !== undefined && (known === text || !mayRepeat)) return 'known';
    const lastSlot = this.#lastSlot ?? -1;
    if (order === 'strict' && slot <= lastSlot) return 'known';
    if (order === 'rising' && slot < lastSlot)
      return known !== undefined || slot <= lastSlot - REMEMBERED_SLOTS ? 'known' : 'late';
    this.#remember(slot, subject, text);
    if (!isFailure) this.#lastSlot = Math.max(slot, lastSlot);
    return 'new';
  }

  /** Starts over: the ledger was replaced, and its slots with it. */
  reset(): void {
    this.#slots.clear();
    this.#subjects = 0;
    this.#lastSlot = undefined;
  }

  #remember(slot: number, subject: string, text: string): void {
    const subjects = this.#slots.get(slot) ?? new Map<string, string>();
    if (!subjects.has(subject)) this.#subjects++;
    this.#slots.set(slot, subjects.set(subject, text));
    for (const [old, { size }] of this.#slots) {
      const isOld = old < Math.max(slot, this.#lastSlot ?? slot) - REMEMBERED_SLOTS;
      if (this.#slots.size === 1 || (!isOld && this.#subjects <= REMEMBERED_SUBJECTS)) break;
      this.#slots.delete(old);
      this.#subjects -= size;
    }
  }
}
