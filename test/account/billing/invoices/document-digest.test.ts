import { expect, test } from 'vitest';
import { documentDigest } from '../../../../src/account/billing/invoices/document-digest.ts';

test('the digest of a document is SHA-256 of its mark and canonical JSON, whatever the order of its members', () => {
  // printf 'keyslot credit note v1\0{"amount_usd":"1.50","issued_at":…}' | sha256sum
  const digest = '4e9d134a3af14de49ddb60b9e68fda507cdff0cff8c888c4ac007357d984f278';
  const note = {
    number: 'CN-000001',
    amount_usd: '1.50',
    reason: '"a" ü',
    issued_at: '2026-02-03T00:00:00.000Z',
  };
  expect(documentDigest('credit note', note)).toBe(digest);
  expect(documentDigest('credit note', Object.fromEntries(Object.entries(note).reverse()))).toBe(digest);
  expect(documentDigest('invoice', note)).not.toBe(digest);
  expect(documentDigest('credit note', { ...note, reason: 'b' })).not.toBe(digest);
});
