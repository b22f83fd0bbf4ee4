import type { VerifiedHead } from './verify-chain.ts';

const nameOf = (accountId: string): string => `keyslot-audit-${accountId}`;

/** Returns the last head of an account that this browser has verified; undefined if none is stored. */
export function readKeptHead(accountId: string): VerifiedHead | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(nameOf(accountId)) ?? 'null');
    return isHead(kept) ? kept : undefined;
  } catch {
    // The storage is blocked, or its text is foreign: verify from the beginning.
    return undefined;
  }
}

/** Stores a head for the next verification. It contains no secret. */
export function keepHead(accountId: string, head: VerifiedHead): void {
  try {
    localStorage.setItem(nameOf(accountId), JSON.stringify(head));
  } catch {
    // Without storage, the next verification starts at the first record.
  }
}

function isHead(value: unknown): value is VerifiedHead {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, hash, publicKey } = value as Partial<Record<keyof VerifiedHead, unknown>>;
  return Number.isSafeInteger(seq) && typeof hash === 'string' && typeof publicKey === 'string';
}
