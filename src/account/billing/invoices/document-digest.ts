import { hash } from 'node:crypto';
import { type DocumentKind, documentBytes } from '../../../../runtime/document-bytes.ts';

/** Returns the digest of a document that the audit log records: SHA-256 in hexadecimal digits. */
export function documentDigest(kind: DocumentKind, document: object): string {
  return hash('sha256', documentBytes(kind, document), 'hex');
}
