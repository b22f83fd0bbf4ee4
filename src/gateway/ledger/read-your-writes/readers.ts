import { LRUCache } from 'lru-cache';
import { COMMITMENTS, type Commitment } from '../../../core/rpc/commitment.ts';

/** A reader: an API key, or one of the sessions behind it. */
export type Reader = { readonly keyId: string; readonly session?: string | undefined };

/** Tells other gateways about readers. */
export type Sharing = {
  /** Returns the name that a reader has at all gateways. */
  readonly nameOf: (reader: Reader) => string;
  readonly onSeen: OnSeen;
};

type KeyReaders = { readonly own: SeenSlots; sessions: LRUCache<string, SeenSlots> | undefined };

const MAX_KEYS = 100_000;
const MAX_SESSIONS_PER_KEY = 1_000;
/** Readers that only other gateways have met. */
const MAX_ELSEWHERE = 100_000;

/** The newest state that each reader of a network has seen. Of 100,000 keys and of 1,000 sessions of each the latest are remembered. */
export class Readers {
  readonly #keys = new LRUCache<string, KeyReaders>({
    max: MAX_KEYS,
    dispose: ({ own, sessions }) => {
      this.#forget(own);
      sessions?.clear();
    },
  });
  /** Those of `#keys` by the names that they have at all gateways. */
  readonly #named = new Map<string, SeenSlots>();
  #elsewhere: LRUCache<string, SeenSlots> | undefined;
  #sharing: Sharing | undefined;

  /** Shares what readers see from now on. Call it before there are readers. */
  share(sharing: Sharing): void {
    this.#sharing = sharing;
    this.#elsewhere = new LRUCache({ max: MAX_ELSEWHERE });
  }

  of({ keyId, session }: Reader): SeenSlots {
    let known = this.#keys.get(keyId);
    if (known === undefined) {
      known = { own: this.#meet({ keyId }), sessions: undefined };
      this.#keys.set(keyId, known);
    }
    if (session === undefined) return known.own;
    known.sessions ??= new LRUCache({ max: MAX_SESSIONS_PER_KEY, dispose: (seen) => this.#forget(seen) });
    let seen = known.sessions.get(session);
    if (seen === undefined) {
      seen = this.#meet({ keyId, session });
      known.sessions.set(session, seen);
    }
    return seen;
  }

  /** Returns what is known of the reader that other gateways call so; undefined while nothing is shared. */
  named(name: string): SeenSlots | undefined {
    if (this.#sharing === undefined) return undefined;
    let seen = this.#named.get(name) ?? this.#elsewhere?.get(name);
    if (seen === undefined) {
      seen = new SeenSlots({ name, onSeen: this.#sharing.onSeen });
      this.#elsewhere?.set(name, seen);
    }
    return seen;
  }

  /** A reader that comes here for the first time brings what other gateways have shown it. */
  #meet(reader: Reader): SeenSlots {
    if (this.#sharing === undefined) return new SeenSlots();
    const { nameOf, onSeen } = this.#sharing;
    const name = nameOf(reader);
    const seen = this.#elsewhere?.get(name) ?? new SeenSlots({ name, onSeen });
    this.#elsewhere?.delete(name);
    this.#named.set(name, seen);
    return seen;
  }

  #forget({ shared }: SeenSlots): void {
    if (shared !== undefined) this.#named.delete(shared.name);
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
