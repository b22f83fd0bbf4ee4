import { LRUCache } from 'lru-cache';
import { type OnSeen, SeenSlots } from './seen-slots.ts';

/** Who reads: a key, or one of the sessions behind it. */
export type Reader = { readonly keyId: string; readonly session?: string | undefined };

/** How other gateways are told of readers. */
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

/** What each reader of a network has seen. Of 100,000 keys and of 1,000 sessions of each the latest are remembered. */
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
