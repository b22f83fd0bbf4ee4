// Wrong codes are counted three ways, because each way alone is either no lock or a way to lock somebody else out. A token at one address
// is locked first, then the token wherever it is used, and only then the account: by three tokens at least.

/** The sender of a code. */
export type Guesser = {
  readonly tokenId: string;
  /** Address of the sender; undefined if unknown. */
  readonly address?: string | undefined;
};

/** Wrong codes since an instant, and when the lock ends; Unix time. */
export type Count = { readonly failures: number; readonly sinceMs: number; readonly lockedUntilMs: number };

/** The counts of an account: its own, and by token and address. */
export type Guesses = { readonly account: Count; readonly by: Readonly<Record<string, Count>> };

const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;
const MOST = { pair: 5, token: 10, account: 30 } as const;

const NONE: Count = { failures: 0, sinceMs: 0, lockedUntilMs: 0 };

/** Returns when the lock of a guesser ends; in the past if there is none. */
export function lockedUntilMs({ account, by }: Guesses, guesser: Guesser): number {
  const own = keysOf(guesser).map((key) => by[key]?.lockedUntilMs ?? 0);
  return Math.max(account.lockedUntilMs, ...own);
}

/** Returns the counts with one more wrong code. Expired counts are dropped. */
export function withWrongCode({ account, by }: Guesses, guesser: Guesser, nowMs: number): Guesses {
  const [pair, token] = keysOf(guesser);
  const kept = Object.entries(by).filter(([, count]) => !isOver(count, nowMs));
  return {
    account: withFailure(account, MOST.account, nowMs),
    by: {
      ...Object.fromEntries(kept),
      [pair]: withFailure(by[pair], MOST.pair, nowMs),
      [token]: withFailure(by[token], MOST.token, nowMs),
    },
  };
}

/** Returns the counts after a correct code: those of its guesser and of the account are dropped, locks of others stay. */
export function withGoodCode({ by }: Guesses, guesser: Guesser): Guesses {
  const own: readonly string[] = keysOf(guesser);
  return { account: NONE, by: Object.fromEntries(Object.entries(by).filter(([key]) => !own.includes(key))) };
}

/** The stored form of the counts by token and address: key to failures, since when, locked until when. */
export function printGuesses(by: Guesses['by']): string {
  const rows = Object.entries(by).map(([key, count]) => [
    key,
    [count.failures, count.sinceMs, count.lockedUntilMs],
  ]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** Parses the output of `printGuesses`. */
export function parseGuesses(text: string): Guesses['by'] {
  const rows = JSON.parse(text) as Readonly<Record<string, readonly [number, number, number]>>;
  return Object.fromEntries(
    Object.entries(rows).map(([key, [failures, sinceMs, until]]) => [
      key,
      { failures, sinceMs, lockedUntilMs: until },
    ]),
  );
}

function keysOf({ tokenId, address = '?' }: Guesser): readonly [pair: string, token: string] {
  return [`${tokenId}@${address}`, tokenId];
}

function withFailure(count: Count = NONE, most: number, nowMs: number): Count {
  const isNew = count.failures === 0 || isOver(count, nowMs);
  const failures = isNew ? 1 : count.failures + 1;
  const sinceMs = isNew ? nowMs : count.sinceMs;
  return failures < most
    ? { failures, sinceMs, lockedUntilMs: 0 }
    : { failures: 0, sinceMs, lockedUntilMs: nowMs + LOCK_MS };
}

function isOver({ sinceMs, lockedUntilMs: until }: Count, nowMs: number): boolean {
  return sinceMs + WINDOW_MS <= nowMs && until <= nowMs;
}
