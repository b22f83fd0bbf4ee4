import { hash } from 'node:crypto';
import { type AuditRecord, recordBytes } from '../../../runtime/audit-bytes.ts';

/** The hash of a record in its chain: SHA-256 of its bytes, which runtime/audit-bytes.ts defines. */
export function hashRecord(previous: Uint8Array, record: AuditRecord): Uint8Array {
  return hash('sha256', recordBytes(previous, record), 'buffer');
}
