import { timingSafeEqual } from 'node:crypto';
import { eq, gt, isNull, or } from '../../../store/drizzle.ts';
import { accessTokens } from '../../../store/access-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { isKeyText } from '../api-keys/key-text.ts';
import { digestKey } from '../api-keys/keyring.ts';
import { isOperatorScope, isScope, type Scope } from './scopes.ts';

/** The state of a presented access token. A mistyped token is `unknown`. */
export type TokenFinding =
  | {
      readonly kind: 'valid';
      readonly tokenId: string;
      readonly accountId: string;
      readonly scopes: ReadonlySet<Scope>;
      readonly member?: TokenMember | undefined;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked'; readonly tokenId: string; readonly accountId: string }
  | { readonly kind: 'expired'; readonly tokenId: string; readonly accountId: string };

/** The member and session that a token was created for. */
export type TokenMember = { readonly memberId: string; readonly userId: string; readonly sessionId: string };

/** A token as the ring holds it. */
export type TokenRecord = {
  readonly tokenId: string;
  readonly accountId: string;
  /** SHA-256 of the token's text. */
  readonly digest: Uint8Array;
  readonly scopes: ReadonlySet<Scope>;
  /** Refused for good, whatever the clock says. */
  readonly isRevoked: boolean;
  /** Unix time from which it is refused; undefined: never. */
  readonly expiresAtMs: number | undefined;
  /** For a token of a session. */
  readonly member?: TokenMember | undefined;
};

const UNKNOWN: TokenFinding = { kind: 'unknown' };

/** A token that expired this long ago is unknown: programs may create one for each of their runs. */
const FORGOTTEN_MS = 86_400_000;

/**
 * All access tokens but those that expired a day ago, in memory: a request is authenticated without a query. Holds digests, never a token.
 */
export class TokenRing {
  readonly #byFingerprint = new Map<string, TokenRecord>();
  readonly #fingerprints = new Map<string, string>();
  readonly #operators = new Set<string>();
  /** Number of requests in progress, by token. */
  readonly #inUse = new Map<string, number>();

  /** The number of tokens in the ring, revoked ones included. */
  get size(): number {
    return this.#byFingerprint.size;
  }

  /**
   * Finds the holder of a token.
   * @param presented the text after `Bearer ` in the header Authorization. Checksum first, then one look-up, then a comparison in
   *   constant time.
   */
  find(presented: string, nowMs: number): TokenFinding {
    if (!isKeyText('ks_tok_', presented)) return UNKNOWN;
    const digest = digestKey(presented);
    const record = this.#byFingerprint.get(fingerprint(digest));
    if (record === undefined || !timingSafeEqual(digest, record.digest)) return UNKNOWN;
    const { tokenId, accountId, scopes, isRevoked, expiresAtMs, member } = record;
    if (isRevoked) return { kind: 'revoked', tokenId, accountId };
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return { kind: 'expired', tokenId, accountId };
    return { kind: 'valid', tokenId, accountId, scopes: this.#countingScopes(accountId, scopes), member };
  }

  /** Returns true if a token that was found before was revoked since. An unknown token counts as revoked: see `use`. */
  isRevoked(tokenId: string): boolean {
    return this.#byFingerprint.get(this.#fingerprints.get(tokenId) ?? '')?.isRevoked ?? true;
  }

  /**
   * Keeps a token from being forgotten, also after it has expired, while a request of it is served: until then it can be revoked.
   * Dispose of the result when the request ends.
   */
  use(tokenId: string): Disposable {
    this.#inUse.set(tokenId, (this.#inUse.get(tokenId) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#inUse.get(tokenId) ?? 0) - 1;
        if (left > 0) this.#inUse.set(tokenId, left);
        else this.#inUse.delete(tokenId);
      },
    };
  }

  /** True while a request of a token is served. */
  isInUse(tokenId: string): boolean {
    return this.#inUse.has(tokenId);
  }

  /** Lets the scopes of an operator count for the tokens of an account, or not, from now on. By default they do not. */
  setOperates(accountId: string, operates: boolean): void {
    if (operates) this.#operators.add(accountId);
    else this.#operators.delete(accountId);
  }

  /** Adds or updates a token. A revoked token stays revoked, even if an older read says otherwise. */
  put(record: TokenRecord): void {
    const mark = fingerprint(record.digest);
    const isRevoked = record.isRevoked || this.#byFingerprint.get(mark)?.isRevoked === true;
    this.#byFingerprint.set(mark, { ...record, isRevoked });
    this.#fingerprints.set(record.tokenId, mark);
  }

  /** Forgets a token: it is unknown from now on. */
  remove(tokenId: string): void {
    this.#byFingerprint.delete(this.#fingerprints.get(tokenId) ?? '');
    this.#fingerprints.delete(tokenId);
  }

  /** Forgets the tokens that expired a day ago and of which no request is served. */
  forgetExpired(nowMs: number): void {
    for (const { tokenId, expiresAtMs = Number.POSITIVE_INFINITY } of this.#byFingerprint.values())
      if (expiresAtMs <= nowMs - FORGOTTEN_MS && !this.isInUse(tokenId)) this.remove(tokenId);
  }

  /** Refuses a token from now on. Ignores a token that the ring does not hold. */
  revoke(tokenId: string): void {
    const record = this.#byFingerprint.get(this.#fingerprints.get(tokenId) ?? '');
    if (record !== undefined) this.put({ ...record, isRevoked: true });
  }

  #countingScopes(accountId: string, scopes: ReadonlySet<Scope>): ReadonlySet<Scope> {
    if (this.#operators.has(accountId)) return scopes;
    for (const scope of scopes)
      if (isOperatorScope(scope)) return new Set([...scopes].filter((each) => !isOperatorScope(each)));
    return scopes;
  }
}

/** Reads the tokens of the store into a ring: all that did not expire a day ago, or the one with this id. */
export async function readTokens(
  { db }: Pick<Store, 'db'>,
  ring: TokenRing,
  nowMs: number,
  tokenId?: string,
): Promise<void> {
  const { id, expiresAt } = accessTokens;
  const isKnown = or(isNull(expiresAt), gt(expiresAt, new Date(nowMs - FORGOTTEN_MS)));
  const rows = await db
    .select()
    .from(accessTokens)
    .where(tokenId === undefined ? isKnown : eq(id, tokenId));
  for (const row of rows) ring.put(toRecord(row));
}

/** Returns the ring's record of a row. */
export function toRecord(row: Omit<typeof accessTokens.$inferSelect, 'name' | 'prefix'>): TokenRecord {
  const { id: tokenId, accountId, digest, scopes, revokedAt, expiresAt } = row;
  return {
    tokenId,
    accountId,
    digest,
    scopes: new Set(scopes.filter(isScope)),
    isRevoked: revokedAt !== null,
    expiresAtMs: expiresAt?.getTime(),
  };
}

/** Half of the digest: what the map may leak by timing is not enough to find the rest. */
function fingerprint(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, 16).toString('latin1');
}
