import pg from 'pg';
import { DamagedStore } from './pglite/damaged-store.ts';

/**
 * The reason why a store cannot be used: `disk_full`; `read_only`; `damaged`, its files are corrupt; `exhausted`, it has no memory or
 * connection left; `unreachable`, it does not answer, or not in time.
 */
export type StoreFault = 'disk_full' | 'read_only' | 'damaged' | 'exhausted' | 'unreachable';

/** Faults in which writing fails but reading may still work. */
export type WriteFault = Extract<StoreFault, 'disk_full' | 'read_only'>;

/** Codes of PostgreSQL (appendix A) for faults of the store rather than of a statement; the longest match counts. */
const BY_SQLSTATE: readonly (readonly [prefix: string, fault: StoreFault])[] = [
  ['53100', 'disk_full'],
  ['25006', 'read_only'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  ['58P01', 'damaged'],
  ['53', 'exhausted'],
  ...(['08', '40', '55', '57', '58', 'XX'] as const).map((prefix) => [prefix, 'unreachable'] as const),
];

/** System messages for which PostgreSQL has no code, or cannot send one. */
const BY_TEXT: readonly (readonly [text: RegExp, fault: StoreFault])[] = [
  [/ENOSPC|EDQUOT|No space left on (?:the )?(?:device|disk)|quota exceeded/i, 'disk_full'],
  [/EROFS|read-only file system/i, 'read_only'],
];

/** Errors of the program itself. */
const OWN = [TypeError, RangeError, SyntaxError, ReferenceError];

/** Returns the store's fault in an error; undefined if the statement or the program is at fault, so that trying again does not help. */
export function storeFaultOf(error: unknown): StoreFault | undefined {
  const innermost = innermostError(error);
  const text = innermost instanceof Error ? innermost.message : String(innermost);
  if (innermost instanceof DamagedStore) return 'damaged';
  if (innermost instanceof pg.DatabaseError) {
    const known = BY_SQLSTATE.find(([prefix]) => innermost.code?.startsWith(prefix));
    const isFatal = innermost.severity === 'PANIC' || innermost.severity === 'FATAL';
    return known?.[1] === 'unreachable' || (known === undefined && isFatal)
      ? (faultInText(text) ?? 'unreachable')
      : known?.[1];
  }
  if (OWN.some((kind) => innermost instanceof kind)) return undefined;
  return faultInText(text) ?? 'unreachable';
}

/** True for a fault that may leave the store readable. */
export function isWriteFault(fault: StoreFault | undefined): fault is WriteFault {
  return fault === 'disk_full' || fault === 'read_only';
}

/** Returns the innermost cause: drivers wrap it in query texts. */
export function innermostError(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostError(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostError(error.cause) : error;
}

function faultInText(text: string): StoreFault | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}
