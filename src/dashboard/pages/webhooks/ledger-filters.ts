import type { LedgerFilter } from '../../../../generated/account/types.ts';

/** A signature has 64 bytes, an address 32: in base-58 at least 64 characters, and at most 44. */
const SIGNATURE_CHARACTERS = 64;
const PROGRAM = /^program\s+/i;

/** Reads the ledger filters of a webhook from lines: an address, a signature, or `program` and its address. */
export function readFilters(lines: readonly string[]): readonly LedgerFilter[] {
  return lines.map((line) => {
    if (PROGRAM.test(line)) return { kind: 'program', value: line.replace(PROGRAM, '') };
    return { kind: line.length < SIGNATURE_CHARACTERS ? 'address' : 'signature', value: line };
  });
}

/** The lines that `readFilters` reads. */
export function printFilters(filters: readonly LedgerFilter[]): string {
  return filters.map(({ kind, value }) => (kind === 'program' ? `program ${value}` : value)).join('\n');
}
