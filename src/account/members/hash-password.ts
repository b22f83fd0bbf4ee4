import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { serviceError } from '../../base/service-error.ts';
import { Semaphore } from '../../rpc/semaphore.ts';

/** Cost of scrypt (RFC 7914): `N`, `r` and `p`. */
export type ScryptCost = { readonly n: number; readonly r: number; readonly p: number };

/** 32 MiB and about 0.3 s of one core: what OWASP's Password Storage Cheat Sheet gives for 32 MiB. */
export const PASSWORD_COST: ScryptCost = { n: 2 ** 15, r: 8, p: 3 };

/** Length of a password in characters. */
export const PASSWORD_LENGTH = { minimum: 12, limit: 128 } as const;

/** Hashes and verifies passwords with scrypt, in Node's thread pool. */
export type PasswordHash = {
  /** @returns `scrypt$<N>$<r>$<p>$<salt>$<hash>`, the last two in base64url. */
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (sent: { readonly password: string; readonly hash: string }) => Promise<boolean>;
  /**
   * Runs the check of a password that anybody may have sent. Of these there are at most 64 at a time; hashes for who has a link or a session
   * wait behind no more than those.
   * @throws ServiceError `signInLocked` when there are more, before anything was done.
   */
  readonly admit: <T>(check: () => Promise<T>) => Promise<T>;
};

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Of the four threads that Node's pool has, which also read files and resolve names. */
const MOST_AT_ONCE = 2;
/** Checked or waiting to be: the last waits about ten seconds. */
const MOST_ADMITTED = 64;
const BUSY_SECONDS = 5;

/** Creates the hash. A cost other than the default is for tests. */
export function createPasswordHash(cost: ScryptCost = PASSWORD_COST): PasswordHash {
  const semaphore = new Semaphore(MOST_AT_ONCE);
  let admitted = 0;
  const derive = (password: string, salt: Uint8Array, used: ScryptCost): Promise<Buffer> =>
    semaphore.withPermit(() => deriveKey(password, salt, used));
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(password, salt, cost);
      const figures = [cost.n, cost.r, cost.p];
      return ['scrypt', ...figures, salt.toString('base64url'), key.toString('base64url')].join('$');
    },
    verify: async ({ password, hash }) => {
      const [scheme, n, r, p, salt = '', key = ''] = hash.split('$');
      if (scheme !== 'scrypt') throw new TypeError('the hash of a password has an unknown form');
      const used = { n: Number(n), r: Number(r), p: Number(p) };
      const derived = await derive(password, Buffer.from(salt, 'base64url'), used);
      return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
    },
    admit: async (check) => {
      if (admitted >= MOST_ADMITTED) throw serviceError('signInLocked', { retryAfterSeconds: BUSY_SECONDS });
      admitted += 1;
      try {
        return await check();
      } finally {
        admitted -= 1;
      }
    },
  };
}

function deriveKey(password: string, salt: Uint8Array, { n: N, r, p }: ScryptCost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = { N, r, p, maxmem: 256 * N * r };
  scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => {
    if (error === null) resolve(key);
    else reject(error);
  });
  return promise;
}
