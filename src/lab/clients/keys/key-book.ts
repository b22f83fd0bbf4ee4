import type { Customer } from '../wallets/wallet-book.ts';

/** An API key that a client was given. Instants are of `performance.now()`. */
export type ToldKey = {
  readonly id: string;
  readonly text: string;
  /** When the answer with the key came. */
  readonly sinceMs: number;
  /** Of a rotated key: until when it works in any case. */
  readonly worksUntilMs?: number;
  /** From when on it is revoked, or its overlap is over, in any case. */
  readonly endedMs?: number;
};

/** The API keys of one account. */
export type KeyBook = Customer & {
  readonly living: Map<string, ToldKey>;
  /** Revoked, or replaced: with an end. */
  readonly ended: Map<string, ToldKey>;
  /** Asked for until the end, and never answered. */
  readonly unanswered: string[];
};

/** A book without keys. */
export function newKeyBook({ account, token, secret, creditUsd }: Customer): KeyBook {
  return { account, token, secret, creditUsd, living: new Map(), ended: new Map(), unanswered: [] };
}
