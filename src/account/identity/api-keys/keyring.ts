import { hash, timingSafeEqual } from 'node:crypto';
import { and, eq, gt, isNull, or } from '../../../store/drizzle.ts';
import { apiKeys } from '../../../store/tables.ts';
import type { Store } from '../../../store/open-store.ts';
import {
  type CallRules,
  type CheckSource,
  compileCallRules,
  compileRules,
  endOf,
  type KeyLimit,
  type KeyRules,
  readRules,
  type RequestSource,
  type RuleBreach,
} from './key-rules.ts';
import { isKeyText } from './key-text.ts';

/** The digest of a presented key, for the next request with the same request head. */
export type KeyMemo = { digest?: Uint8Array };

/** The state of a presented API key. A mistyped key is `unknown`. */
export type KeyFinding =
  | {
      readonly kind: 'valid';
      readonly keyId: string;
      readonly accountId: string;
      readonly checkSource: CheckSource | undefined;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' | 'expired'; readonly keyId: string; readonly accountId: string };

/** A key as the ring holds it. */
export type KeyRecord = {
  readonly keyId: string;
  readonly accountId: string;
  /** SHA-256 of the key's text. */
  readonly digest: Uint8Array;
  /** Refused for good, whatever the clock says. */
  readonly isRevoked: boolean;
  /** Unix time from which it is refused; undefined: never. */
  readonly expiresAtMs: number | undefined;
  /** Checks where a request comes from, and to which network; undefined: all are allowed. */
  readonly checkSource: CheckSource | undefined;
  /** The rules about its calls; undefined: there are none. */
  readonly callRules?: CallRules | undefined;
  /** True for the key of a session, which is not one of the account's own. */
  readonly isOfSession?: boolean;
};

const UNKNOWN: KeyFinding = { kind: 'unknown' };
/** A key that has ended is refused without: a hundred origins and networks take 100 kB. */
const NO_CHECK = { checkSource: undefined, callRules: undefined };

/** A key that ended this long ago is unknown: an account may make a thousand a day. */
const FORGOTTEN_MS = 7 * 86_400_000;

/** All API keys but those that ended a week ago, in memory: a request is authenticated without a query. Holds digests, never a key. */
export class Keyring {
  readonly #byFingerprint = new Map<string, KeyRecord>();
  readonly #fingerprints = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #callRules = new Map<string, CallRules>();

  /** The number of keys in the ring, ended ones included. */
  get size(): number {
    return this.#byFingerprint.size;
  }

  /** Returns how many keys of an account are in the ring, revoked and expired ones included, those of sessions left out. */
  countOf(accountId: string): number {
    return this.#counts.get(accountId) ?? 0;
  }

  /**
   * Finds the account of a key: checksum first, then one look-up, then a comparison in constant time. `memo` belongs to this text alone and
   * saves hashing it again.
   */
  find(presented: string, nowMs: number, memo: KeyMemo = {}): KeyFinding {
    if (memo.digest === undefined && !isKeyText('ks_key_', presented)) return UNKNOWN;
    memo.digest ??= digestKey(presented);
    const { digest } = memo;
    const record = this.#byFingerprint.get(fingerprint(digest));
    if (record === undefined || !timingSafeEqual(digest, record.digest)) return UNKNOWN;
    const { keyId, accountId, isRevoked, expiresAtMs, checkSource } = record;
    if (isRevoked) return { kind: 'revoked', keyId, accountId };
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return { kind: 'expired', keyId, accountId };
    return { kind: 'valid', keyId, accountId, checkSource };
  }

  /** Returns the current rules about the calls of a key; undefined if there are none. */
  readonly callRulesOf = (keyId: string): CallRules | undefined => this.#callRules.get(keyId);

  /** Returns the current state of a key that was found before, for a use from this source. */
  standingOf(
    keyId: string,
    nowMs: number,
    source?: RequestSource,
  ): 'valid' | 'revoked' | 'expired' | 'unknown' | RuleBreach {
    const record = this.#recordOf(keyId);
    if (record === undefined) return 'unknown';
    if (record.isRevoked) return 'revoked';
    if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) return 'expired';
    return (source && record.checkSource?.(source)) ?? 'valid';
  }

  /** Adds or updates a key. A revoked key stays revoked, even if an older read says otherwise. */
  put(record: KeyRecord): void {
    const mark = fingerprint(record.digest);
    const known = this.#byFingerprint.get(mark);
    const isRevoked = record.isRevoked || known?.isRevoked === true;
    if (known === undefined) this.#count(record, 1);
    const kept = { ...record, isRevoked, ...(isRevoked && NO_CHECK) };
    this.#byFingerprint.set(mark, kept);
    this.#fingerprints.set(record.keyId, mark);
    this.#putCallRules(kept);
  }

  /** Refuses a key from now on. Ignores a key that the ring does not hold. */
  revoke(keyId: string): void {
    this.#change(keyId, { isRevoked: true });
  }

  /** Lets a key expire at `expiresAtMs`. Ignores a key that the ring does not hold. */
  expire(keyId: string, expiresAtMs: number, nowMs: number): void {
    this.#change(keyId, { expiresAtMs, ...(expiresAtMs <= nowMs && NO_CHECK) });
  }

  /** Forgets the keys that ended a week ago, and what was needed to check the others that have ended. Call it every hour. */
  forgetEnded(nowMs: number): void {
    for (const record of this.#byFingerprint.values()) {
      const { keyId, isRevoked, expiresAtMs = Number.POSITIVE_INFINITY } = record;
      if (expiresAtMs <= nowMs - FORGOTTEN_MS) this.remove(keyId);
      else if (isRevoked || expiresAtMs <= nowMs)
        this.put({ ...record, expiresAtMs: Math.min(expiresAtMs, nowMs), ...NO_CHECK });
    }
  }

  /** Forgets a key: it is unknown from now on. */
  remove(keyId: string): void {
    const mark = this.#fingerprints.get(keyId) ?? '';
    const known = this.#byFingerprint.get(mark);
    if (known !== undefined) this.#count(known, -1);
    this.#byFingerprint.delete(mark);
    this.#fingerprints.delete(keyId);
    this.#callRules.delete(keyId);
  }

  /** A limit that stays the same keeps its object, to which what was counted belongs. */
  #putCallRules({ keyId, callRules }: KeyRecord): void {
    const known = this.#callRules.get(keyId)?.limits ?? [];
    const same = ({ per, burst }: KeyLimit) =>
      known.find((limit) => limit.per === per && limit.burst === burst);
    if (callRules === undefined) this.#callRules.delete(keyId);
    else
      this.#callRules.set(keyId, {
        ...callRules,
        limits: callRules.limits.map((limit) => same(limit) ?? limit),
      });
  }

  #recordOf(keyId: string): KeyRecord | undefined {
    return this.#byFingerprint.get(this.#fingerprints.get(keyId) ?? '');
  }

  #count({ accountId, isOfSession }: KeyRecord, change: 1 | -1): void {
    if (isOfSession !== true) this.#counts.set(accountId, this.countOf(accountId) + change);
  }

  #change(keyId: string, change: Partial<KeyRecord>): void {
    const record = this.#recordOf(keyId);
    if (record !== undefined) this.put({ ...record, ...change });
  }
}

/** Returns a ring with the keys of the store. */
export async function loadKeyring(store: Store, nowMs: number): Promise<Keyring> {
  const keyring = new Keyring();
  await readKeys(store, keyring, nowMs);
  return keyring;
}

/** Reads the keys of the store into the ring: all that did not end a week ago. */
export async function readKeys(store: Store, keyring: Keyring, nowMs: number): Promise<void> {
  const { revokedAt, expiresAt } = apiKeys;
  const since = new Date(nowMs - FORGOTTEN_MS);
  const isKnown = and(
    or(isNull(revokedAt), gt(revokedAt, since)),
    or(isNull(expiresAt), gt(expiresAt, since)),
  );
  for (const row of await store.db.select().from(apiKeys).where(isKnown)) keyring.put(toRecord(row, nowMs));
}

/** Reads one key of the store into the ring; ignores a key that the store does not have. */
export async function readKey(store: Store, keyring: Keyring, keyId: string, nowMs: number): Promise<void> {
  const [row] = await store.db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  if (row !== undefined) keyring.put(toRecord(row, nowMs));
}

/** Returns the ring's record of a row. */
function toRecord(row: typeof apiKeys.$inferSelect, nowMs: number): KeyRecord {
  const { id: keyId, accountId, digest, revokedAt } = row;
  const endsMs = [revokedAt, endOf(row)].flatMap((end) => end?.getTime() ?? []);
  const expiresAtMs = endsMs.length === 0 ? undefined : Math.min(...endsMs);
  const ends = { isRevoked: revokedAt !== null, expiresAtMs };
  const hasEnded = expiresAtMs !== undefined && expiresAtMs <= nowMs;
  return { keyId, accountId, digest, ...ends, ...(hasEnded ? NO_CHECK : compile(keyId, readRules(row))) };
}

/** Returns rules as a record of the ring has them. */
export function compile(keyId: string, rules: KeyRules): Pick<KeyRecord, 'checkSource' | 'callRules'> {
  return { checkSource: compileRules(rules), callRules: compileCallRules(keyId, rules) };
}

/** SHA-256 of a key's text: all that is stored of it. 256 random bits need no salt and no slow hash. */
export function digestKey(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

/** Half of the digest: what the map may leak by timing is not enough to find the rest. */
function fingerprint(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, 16).toString('latin1');
}
