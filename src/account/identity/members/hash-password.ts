import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { Semaphore } from '../../../core/rpc/semaphore.ts';

/** Cost of scrypt (RFC 7914): `N`, `r` and `p`. */
export type ScryptCost = { readonly n: number; readonly r: number; readonly p: number };

/** 32 MiB and about 0.3 s of one core: what OWASP's Password Storage Cheat Sheet gives for 32 MiB. */
export const PASSWORD_COST: ScryptCost = { n: 2 ** 15, r: 8, p: 3 };

/** Length of a password in characters. */
export const PASSWORD_LENGTH = { minimum: 12, limit: 128 } as const;

/** Hashes and compares passwords with scrypt, in Node's thread pool. */
export type PasswordHash = {
  /**
   * @param like the hash of another login with the same email, whose salt is used, so that a password is compared with both at once.
   * @returns `scrypt$<N>$<r>$<p>$<salt>$<hash>`, the last two in base64url.
   */
  readonly hash: (password: string, like?: string) => Promise<string>;
  /**
   * Compares a password with the hashes of the logins with one email. Since those have one salt, it takes as long for many as for one and
   * for none.
   * @param sender as in `admit`: senders take turns.
   * @returns the hashes that are equal, and a function that makes one for another login with the same email.
   */
  readonly compare: (sent: {
    readonly password: string;
    readonly hashes: readonly string[];
    readonly sender?: string;
  }) => Promise<{ readonly equal: ReadonlySet<string>; readonly hash: () => Promise<string> }>;
  /**
   * Runs the check of a password that anyone may have sent. At most 64 checks run or wait at a time, 8 of one sender, 48 of all senders that
   * are not proven, and 32 of those whose last check within 15 minutes failed: networks that guess keep no one else out, and networks that
   * have not been seen yet keep out no one who is known. Hashes for holders of a link wait behind no more than that.
   * @param sender whose checks compete with each other first: a network, or an account. It is proven while its last check succeeded, a day ago
   *   at most.
   * @param check rejects, or resolves to undefined, when the password is wrong.
   * @param isKnown asked where there is room only for senders that are proven: true for one that is proven otherwise.
   * @throws ServiceError `signInLocked` when there are more, before anything was done.
   */
  readonly admit: <T>(sender: string, check: () => Promise<T>, isKnown: () => Promise<boolean>) => Promise<T>;
};

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Node's pool has four threads, which also read files and resolve names. */
const MOST_AT_ONCE = 2;
/** Number of checks that run or wait: the last one waits about ten seconds. */
const MOST_ADMITTED = { all: 64, unproven: 48, failed: 32 } as const;
/** Checks of one sender: the checks of others find room, and wait behind a second of its hashes. */
const MOST_OF_SENDER = 8;
const FAILED_MS = 15 * 60_000;
const PROVEN_MS = 24 * 60 * 60_000;
const BUSY_SECONDS = 5;

/** Creates the hash. A cost other than the default is for tests. */
export function createPasswordHash(cost: ScryptCost = PASSWORD_COST): PasswordHash {
  const semaphore = new Semaphore(MOST_AT_ONCE);
  const bySender = new Map<string, number>();
  const admitted = { all: 0, unproven: 0, failed: 0 };
  const [failed, proven] = [new RecentSenders(FAILED_MS), new RecentSenders(PROVEN_MS)];
  const noteOutcome = (sender: string, isRight: boolean): void => {
    const [added, removed] = isRight ? [proven, failed] : [failed, proven];
    removed.delete(sender);
    added.add(sender);
  };
  const limitsOf = (sender: string): readonly (keyof typeof MOST_ADMITTED)[] => {
    if (proven.has(sender)) return ['all'];
    return failed.has(sender) ? ['all', 'unproven', 'failed'] : ['all', 'unproven'];
  };
  const isFull = (limits: readonly (keyof typeof MOST_ADMITTED)[]): boolean =>
    limits.some((each) => admitted[each] >= MOST_ADMITTED[each]);
  const hashWith = async (password: string, prefix: string, sender?: string): Promise<string> => {
    const key = await semaphore.withPermit(() => deriveKey(password, prefix), sender);
    return prefix + key.toString('base64url');
  };
  const newPrefix = (): string => {
    const salt = randomBytes(SALT_BYTES).toString('base64url');
    return ['scrypt', cost.n, cost.r, cost.p, salt, ''].join('$');
  };
  const isOfCost = (prefix: string): boolean => prefix.startsWith(`scrypt$${cost.n}$${cost.r}$${cost.p}$`);
  const prefixFor = (likes: readonly string[]): string => likes.map(prefixOf).find(isOfCost) ?? newPrefix();
  return {
    hash: (password, like) => hashWith(password, prefixFor(like === undefined ? [] : [like])),
    compare: async ({ password, hashes, sender }) => {
      const prefix = prefixFor(hashes);
      const prefixes = [...new Set(hashes.map(prefixOf))];
      const made = await Promise.all(
        (prefixes.length === 0 ? [prefix] : prefixes).map((each) => hashWith(password, each, sender)),
      );
      const equal = hashes.filter((hash) => made.some((each) => isEqual(each, hash)));
      const hash = async (): Promise<string> =>
        made.find((each) => prefixOf(each) === prefix) ?? hashWith(password, prefix);
      return { equal: new Set(equal), hash };
    },
    admit: async (sender, check, isKnown) => {
      let limits = limitsOf(sender);
      if (isFull(limits) && !isFull(['all']) && (await isKnown())) limits = ['all'];
      const own = bySender.get(sender) ?? 0;
      if (isFull(limits) || own >= MOST_OF_SENDER)
        throw serviceError('signInLocked', { retryAfterSeconds: BUSY_SECONDS });
      for (const each of limits) admitted[each]++;
      bySender.set(sender, own + 1);
      try {
        const outcome = await check();
        noteOutcome(sender, outcome !== undefined);
        return outcome;
      } catch (error) {
        noteOutcome(sender, false);
        throw error;
      } finally {
        for (const each of limits) admitted[each]--;
        const left = (bySender.get(sender) ?? 1) - 1;
        if (left > 0) bySender.set(sender, left);
        else bySender.delete(sender);
      }
    },
  };
}

/** Maximum number of remembered senders of one outcome, the newest ones. */
const MOST_REMEMBERED = 10_000;

/** Senders, each for some time. */
class RecentSenders {
  readonly #lifeMs: number;
  /** When each was added, oldest first. */
  readonly #addedMs = new Map<string, number>();

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  has(sender: string): boolean {
    return (this.#addedMs.get(sender) ?? Number.NEGATIVE_INFINITY) > performance.now() - this.#lifeMs;
  }

  add(sender: string): void {
    this.#addedMs.delete(sender);
    this.#addedMs.set(sender, performance.now());
    const [oldest] = this.#addedMs.keys();
    if (this.#addedMs.size > MOST_REMEMBERED && oldest !== undefined) this.#addedMs.delete(oldest);
  }

  delete(sender: string): void {
    this.#addedMs.delete(sender);
  }
}

/** Returns the beginning of a hash: scheme, cost and salt. */
function prefixOf(hash: string): string {
  return hash.slice(0, hash.lastIndexOf('$') + 1);
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function deriveKey(password: string, prefix: string): Promise<Buffer> {
  const [scheme, n, r, p, salt = ''] = prefix.split('$');
  if (scheme !== 'scrypt') throw new TypeError('the password hash has an unknown format');
  const [N, blocks, parallel] = [Number(n), Number(r), Number(p)];
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = { N, r: blocks, p: parallel, maxmem: 256 * N * blocks };
  const saltBytes = Buffer.from(salt, 'base64url');
  scrypt(password.normalize('NFKC'), saltBytes, HASH_BYTES, options, (error, key) => {
    if (error === null) resolve(key);
    else reject(error);
  });
  return promise;
}
