import { base58 } from '@scure/base';

/** A filter for the ledger events of a webhook. */
export type LedgerFilter = { readonly kind: LedgerFilterKind; readonly value: string };

export type LedgerFilterKind = 'address' | 'program' | 'signature';

export const LEDGER_FILTER_KINDS: readonly LedgerFilterKind[] = ['address', 'program', 'signature'];

/** Maximum number of filters of a webhook. */
export const MAX_FILTERS = 100;

const BYTES: Readonly<Record<LedgerFilterKind, number>> = { address: 32, program: 32, signature: 64 };
const MAX_DIGITS = 88;

/** Returns the fault in the value of a filter; undefined if it is valid. */
export function filterFault({ kind, value }: LedgerFilter): string | undefined {
  if (value.length <= MAX_DIGITS && isBase58(value, BYTES[kind])) return undefined;
  return `must be base-58 of ${BYTES[kind]} bytes`;
}

/** Writes a filter as it is stored. */
export function writeFilter({ kind, value }: LedgerFilter): string {
  return `${kind}:${value}`;
}

/** Reads a filter that `writeFilter` wrote. */
export function readFilter(text: string): LedgerFilter {
  const at = text.indexOf(':');
  return { kind: text.slice(0, at) as LedgerFilterKind, value: text.slice(at + 1) };
}

function isBase58(text: string, bytes: number): boolean {
  try {
    return base58.decode(text).length === bytes;
  } catch {
    // A character that base-58 does not have.
    return false;
  }
}
