import { Metadata } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { RefusedAccess } from '../../../src/account/identity/refusal-log.ts';
import { createClientAddress } from '../../../src/server/access/client-address.ts';
import { noteRefusedToken } from '../../../src/server/grpc/topic-token.ts';
import { serviceError } from '../../../src/core/service-error.ts';

const HOLDER = { tokenId: 'at_1', accountId: 'a1' };

function note(holder: typeof HOLDER | undefined, code: 'tokenOfOtherAccount' | 'tokenUnknown') {
  const noted: RefusedAccess[] = [];
  const metadata = new Metadata();
  metadata.set('x-forwarded-for', '198.51.100.7, 203.0.113.9');
  metadata.set('authorization', 'Bearer ks_tok_secret');
  const told = noteRefusedToken({
    refusals: { note: (refused) => void noted.push(refused) },
    clientAddress: createClientAddress((address) => address === '127.0.0.1'),
  });
  for (const peer of ['127.0.0.1:50000', '[::ffff:192.0.2.7]:50001'])
    told({ metadata, getPeer: () => peer }, serviceError(code), holder);
  return noted;
}

const requestId = expect.stringMatching(/^req_/);

test('a refused token is on record with its holder, the code, and where it came from', () => {
  const refused = { holder: HOLDER, action: 'subscribe', outcome: 'token_of_other_account', requestId };
  expect(note(HOLDER, 'tokenOfOtherAccount')).toEqual([
    { ...refused, address: '203.0.113.9' },
    { ...refused, address: '192.0.2.7' },
  ]);
});

test('one that nobody has is nobody’s, and nothing of it is kept', () => {
  const noted = note(undefined, 'tokenUnknown');
  expect(noted).toMatchObject([{ holder: undefined, action: 'access', outcome: 'token_unknown' }, {}]);
  expect(JSON.stringify(noted)).not.toContain('ks_tok_');
});
