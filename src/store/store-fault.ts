import pg from 'pg';
import { Unexpected } from './expectation.ts';
import { DamagedStore } from './pglite/damaged-store.ts';

/**
 * Why a store cannot be used: `disk_full`; `read_only`; `damaged`, its files are not what it wrote; `exhausted`, it has no memory or
 * connection left; `unreachable`, it does not answer, or not in time.
 */
export type StoreFault = 'disk_full' | 'read_only' | 'damaged' | 'exhausted' | 'unreachable';

/** Faults in which reading may go on and writing does not. */
export type WriteFault = Extract<StoreFault, 'disk_full' | 'read_only'>;

/** Codes of PostgreSQL (appendix A) that tell of the store rather than of a statement; the longest that fits counts. */
const BY_SQLSTATE: readonly (readonly [prefix: string, fault: StoreFault])[] = [
  ['53100', 'disk_full'],
  ['25006', 'read_only'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  ['58P01', 'damaged'],
  ['53', 'exhausted'],
  ...(['08', '40', '55', '57', '58', 'XX'] as const).map((prefix) => [prefix, 'unreachable'] as const),
];

/** What the system says where PostgreSQL has no code for it, or is not there to say it. */
const BY_TEXT: readonly (readonly [text: RegExp, fault: StoreFault])[] = [
  [/ENOSPC|EDQUOT|No space left on (?:the )?(?:device|disk)|quota exceeded/i, 'disk_full'],
  [/EROFS|read-only file system/i, 'read_only'],
];

/** Errors that the program itself makes. */
const OWN = [Unexpected, TypeError, RangeError, SyntaxError, ReferenceError];

/** What an error tells of the store; undefined where it tells of the statement, or of us: trying again does not help. */
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

/** Whether a fault may leave the store readable. */
export function isWriteFault(fault: StoreFault | undefined): fault is WriteFault {
  return fault === 'disk_full' || fault === 'read_only';
}

/** The error that the others were wrapped around: drivers wrap it in query texts. */
export function innermostError(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostError(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostError(error.cause) : error;
}

function faultInText(text: string): StoreFault | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}
