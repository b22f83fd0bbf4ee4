import { expect, test } from 'vitest';
import { GENESIS, recordBytes } from '../../../runtime/audit-bytes.ts';
import { hashRecord } from '../../../src/account/audit/record-hash.ts';
import { NOW_MS } from '../new-customer.ts';

test('the hash of a record is what docs/account.md says', async () => {
  const record = {
    accountId: '00000000-0000-4000-8000-000000000002',
    seq: 1,
    atMs: NOW_MS,
    action: 'create',
    outcome: 'ok',
    tokenId: null,
    requestId: 'req_1',
    walletId: 'w_1',
    units: 1,
  };
  // printf 'keyslot audit record v1\0', 32 zero bytes and the JSON array, through sha256sum.
  const digest = '8e366fdf81cb8f801f23a731a41e96e721c073dc828197f345bccf0d17688c6d';
  const hashOf = (about: object): string =>
    Buffer.from(hashRecord(GENESIS, { ...record, ...about })).toString('hex');
  expect(hashOf({})).toBe(digest);
  expect(hashOf({ address: null, memberId: null, subject: null })).toBe(digest);
  expect(hashOf({ subject: 's_1' })).toBe('f61459e12666be7c4293e66853ef862ea689cb946623f2ebd57a451320cd3d01');
  expect(hashOf({ address: '192.0.2.1', memberId: 'm_1' })).toBe(
    '905ba7067852fdffa4f4822ccbbf03fb053551b7bd6238f8fd7e8acf1fff26da',
  );
  const charged = [
    { operation: 'hd_master_creation', units: 1, month: '2025-10', amount: 0 },
    { operation: 'hd_child_derivation', units: 20, month: '2025-10', amount: 10_000 },
  ];
  expect(hashOf({ charges: charged })).toBe(
    '9ea04587cba5c06002a507acfa0e65c3f46ff1406f448cbd19d8ae6190ac3873',
  );
  const signed = { operation: 'managed_signing', units: 1, month: '2025-10', amount: 100 };
  expect(hashOf({ subject: 's_1', charges: [signed] })).toBe(
    'eed04d2f6e9340b0f19ee5444726c3fd8a68fa3501d2a341c89bc7e843fb121a',
  );
  expect(hashOf({ subject: 's_1', documentSha256: 'abab' })).toBe(
    'e9f8b4d24c5d8d74e692b1a5b28a4694818d81651c399b7df30a84cb93895b08',
  );
  const change = { member: 'allowed_methods', before: 'any', after: 'read, send' };
  expect(hashOf({ subject: 's_1', changes: [change] })).toBe(
    '7bfabe71fa1614893c7c549b0bca1ce7e0250aea5a5b1063c1198d7bdc2105cc',
  );
  const inBrowser = await crypto.subtle.digest('SHA-256', recordBytes(GENESIS, record));
  expect(Buffer.from(inBrowser).toString('hex')).toBe(digest);
});
