import { COMMITMENTS, type Commitment } from '../../../core/rpc/commitment.ts';

/** A reader: an API key, or one of the sessions behind it. */
export type Reader = {
  readonly accountId: string;
  readonly keyId: string;
  readonly session?: string | undefined;
};

/** Tells other gateways about readers. */
export type Sharing = {
  /** Returns the name that a reader has at all gateways. Its first `ACCOUNT_CHARACTERS` are those of the account. */
  readonly nameOf: (reader: Reader) => string;
  readonly onSeen: OnSeen;
};

/** Length of the part of a name that all readers of an account share. */
export const ACCOUNT_CHARACTERS = 4;

/** Readers of a network, and as many that only other gateways have met. */
const MAX_READERS = 100_000;

/** The newest state that each reader of a network has seen, and that still counts. */
export class Readers {
  readonly #met: ReaderTable;
  readonly #elsewhere: ReaderTable;
  /** Those of `#met` by the names that they have at all gateways. */
  readonly #named = new Map<string, Reader>();
  readonly #nowMs: () => number;
  #sharing: Sharing | undefined;

  constructor(nowMs: () => number, maxReaders = MAX_READERS) {
    this.#nowMs = nowMs;
    this.#met = new ReaderTable(maxReaders, ({ shared }) => {
      if (shared !== undefined) this.#named.delete(shared.name);
    });
    this.#elsewhere = new ReaderTable(maxReaders);
  }

  /** Readers that are remembered. */
  get size(): number {
    return this.#met.size + this.#elsewhere.size;
  }

  /** Shares what readers see from now on. Call it before there are readers. */
  share(sharing: Sharing): void {
    this.#sharing = sharing;
  }

  of(reader: Reader): SeenSlots {
    const { accountId, keyId, session } = reader;
    // No header has a line feed.
    const name = session === undefined ? keyId : `${keyId}\n${session}`;
    return this.#met.use(accountId, name, this.#nowMs(), () => this.#meet(reader));
  }

  /** Returns what is known of the reader that other gateways call so; undefined while nothing is shared. */
  named(name: string): SeenSlots | undefined {
    if (this.#sharing === undefined) return undefined;
    const reader = this.#named.get(name);
    if (reader !== undefined) return this.of(reader);
    const { onSeen } = this.#sharing;
    const meet = (): SeenSlots => new SeenSlots({ name, onSeen });
    return this.#elsewhere.use(accountOf(name), name, this.#nowMs(), meet);
  }

  /** A reader that comes here for the first time brings what other gateways have shown it. */
  #meet({ accountId, keyId, session }: Reader): SeenSlots {
    if (this.#sharing === undefined) return new SeenSlots();
    const { nameOf, onSeen } = this.#sharing;
    const reader = { accountId, keyId, session };
    const name = nameOf(reader);
    const seen = this.#elsewhere.take(accountOf(name), name) ?? new SeenSlots({ name, onSeen });
    this.#named.set(name, reader);
    return seen;
  }
}

function accountOf(name: string): string {
  return name.slice(0, ACCOUNT_CHARACTERS);
}

/** The time of a use is this exact. */
const USE_MS = 1_000;

/**
 * Readers by account. One that was not used for a minute is forgotten: nothing that it has seen counts. An account may have as many as it
 * leaves free; without room the account that has most loses the one that was not used for longest.
 */
class ReaderTable {
  readonly #maxReaders: number;
  readonly #onForgotten: (seen: SeenSlots) => void;
  /** Accounts, and the readers of each, in the order of their last use. */
  readonly #accounts = new Map<string, Map<string, SeenSlots>>();
  size = 0;

  constructor(maxReaders: number, onForgotten: (seen: SeenSlots) => void = () => undefined) {
    this.#maxReaders = maxReaders;
    this.#onForgotten = onForgotten;
  }

  /** Returns a reader, made by `meet` if it is not there. */
  use(accountId: string, name: string, nowMs: number, meet: () => SeenSlots): SeenSlots {
    const known = this.#accounts.get(accountId)?.get(name);
    if (known !== undefined && nowMs - known.usedAtMs < USE_MS) return known;
    const seen = known ?? meet();
    seen.usedAtMs = nowMs;
    const readers = this.#accounts.get(accountId) ?? new Map<string, SeenSlots>();
    readers.delete(name);
    readers.set(name, seen);
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, readers);
    if (known === undefined) this.size++;
    this.#forgetUnused(accountId, readers, nowMs);
    while (readers.size > this.#maxReaders - this.size && this.size > 1) this.#makeRoom();
    return seen;
  }

  /** Removes a reader. @returns undefined if it is not there. */
  take(accountId: string, name: string): SeenSlots | undefined {
    const readers = this.#accounts.get(accountId);
    const seen = readers?.get(name);
    if (readers !== undefined && seen !== undefined) this.#remove(accountId, readers, name);
    return seen;
  }

  /** Those of the account that was just used, and of the accounts that were not used for longest. */
  #forgetUnused(accountId: string, readers: Map<string, SeenSlots>, nowMs: number): void {
    const isUnused = ({ usedAtMs }: SeenSlots): boolean => nowMs - usedAtMs > REMEMBERED_MS + USE_MS;
    while (this.#forget(accountId, readers, isUnused));
    for (const [each, other] of this.#accounts) {
      while (this.#forget(each, other, isUnused));
      if (other.size > 0) return;
    }
  }

  #makeRoom(): void {
    let most: readonly [string, Map<string, SeenSlots>] | undefined;
    for (const each of this.#accounts) if (each[1].size > (most?.[1].size ?? 0)) most = each;
    if (most !== undefined) this.#forget(...most);
  }

  /** Forgets the reader of an account that was not used for longest, if it passes a test. @returns true if it did. */
  #forget(
    accountId: string,
    readers: Map<string, SeenSlots>,
    isToGo: (seen: SeenSlots) => boolean = () => true,
  ): boolean {
    for (const [name, seen] of readers) {
      if (!isToGo(seen)) return false;
      this.#remove(accountId, readers, name);
      this.#onForgotten(seen);
      return true;
    }
    return false;
  }

  #remove(accountId: string, readers: Map<string, SeenSlots>, name: string): void {
    readers.delete(name);
    this.size--;
    if (readers.size === 0) this.#accounts.delete(accountId);
  }
}

type Mark = { readonly value: number; readonly atMs: number };
type Marks = Partial<Record<Commitment, Mark>>;

/** The value of a mark and its age in milliseconds, for each of COMMITMENTS in order; value 0: there is none. */
export type SentMarks = readonly number[];
/** The state that a reader has seen, as another gateway gets it: under a name that does not show who it is. */
export type SentSeen = readonly [name: string, slots: SentMarks, heights: SentMarks];

/** A state that was seen counts for this long: a node that has not reached it by then is too far behind to be asked, or the chain was reset. */
export const REMEMBERED_MS = 60_000;

/** Called when a reader was shown something newer than before. It is part of a request, and must be quick. */
type OnSeen = (seen: SeenSlots) => void;

/** Everything needed to tell other gateways about a reader. */
type SharedReader = {
  /** The name of the reader at all gateways. */
  readonly name: string;
  readonly onSeen: OnSeen;
};

/** The highest slots and block heights that one reader has seen, by commitment. */
export class SeenSlots {
  /** Undefined: no other gateway is notified. */
  readonly shared: SharedReader | undefined;
  /** When it was last looked up, to the second. */
  usedAtMs = 0;
  readonly #slots: Marks = {};
  readonly #heights: Marks = {};

  constructor(shared?: SharedReader) {
    this.shared = shared;
  }

  /** Notes a slot that the reader is shown. What is final is confirmed and processed, too. */
  noteSlot(commitment: Commitment, slot: number, nowMs: number): void {
    if (raise(this.#slots, commitment, slot, nowMs)) this.shared?.onSeen(this);
  }

  noteHeight(commitment: Commitment, height: number, nowMs: number): void {
    if (raise(this.#heights, commitment, height, nowMs)) this.shared?.onSeen(this);
  }

  /** The slot that the next answer at a commitment must have reached; 0: any will do. */
  slot(commitment: Commitment, nowMs: number): number {
    return read(this.#slots, commitment, nowMs);
  }

  /** The same as a block height. */
  height(commitment: Commitment, nowMs: number): number {
    return read(this.#heights, commitment, nowMs);
  }

  /** Returns the report for another gateway. */
  send(nowMs: number): SentSeen {
    return [this.shared?.name ?? '', send(this.#slots, nowMs), send(this.#heights, nowMs)];
  }

  /** Takes over what another gateway has shown the reader, `ageMs` after it said so. */
  learn([, slots, heights]: SentSeen, ageMs: number, nowMs: number): void {
    learn(this.#slots, slots, ageMs, nowMs);
    learn(this.#heights, heights, ageMs, nowMs);
  }
}

/** @returns true if something became higher. */
function raise(marks: Marks, commitment: Commitment, value: number, nowMs: number): boolean {
  let isHigher = false;
  for (const each of COMMITMENTS) {
    const known = read(marks, each, nowMs);
    if (value >= known) marks[each] = { value, atMs: nowMs };
    if (value > known) isHigher = true;
    if (each === commitment) break;
  }
  return isHigher;
}

function read(marks: Marks, commitment: Commitment, nowMs: number): number {
  const mark = marks[commitment];
  return mark === undefined || nowMs - mark.atMs > REMEMBERED_MS ? 0 : mark.value;
}

function send(marks: Marks, nowMs: number): SentMarks {
  return COMMITMENTS.flatMap((each) => {
    const value = read(marks, each, nowMs);
    return value === 0 ? [0, 0] : [value, Math.round(nowMs - (marks[each]?.atMs ?? nowMs))];
  });
}

function learn(marks: Marks, sent: SentMarks, laterMs: number, nowMs: number): void {
  for (const [index, each] of COMMITMENTS.entries()) {
    const [value = 0, ageMs = 0] = sent.slice(2 * index, 2 * index + 2);
    const atMs = nowMs - ageMs - Math.max(0, laterMs);
    const known = read(marks, each, nowMs);
    if (value > 0 && (value > known || (value === known && atMs > (marks[each]?.atMs ?? -Infinity))))
      marks[each] = { value, atMs };
  }
}
