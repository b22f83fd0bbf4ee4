import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAccountClient } from '../../../generated/account/client.ts';
import { headBytes } from '../../../runtime/audit-bytes.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { startKeyslot } from '../../support/keyslot.ts';
import { createToken } from '../../support/wallet-account.ts';

test('a signed head is that of a record, and its signature holds', async () => {
  await using stack = new AsyncDisposableStack();
  const server = await startKeyslot();
  stack.defer(server.stop);
  const { token } = await createToken(server.dataDir, 'acme');
  const client = createAccountClient({ url: server.baseUrl, token });
  await client.createKey({ name: 'checkout' });
  const { heads } = await eventually(
    'a head is signed',
    async () => {
      const answer = await client.listAuditHeads();
      return answer.heads.length > 0 ? answer : undefined;
    },
    { timeoutMs: 90_000, intervalMs: 1_000 },
  );
  const { records } = await client.listAuditChain();
  for (const { account_id: accountId, seq, hash, at, public_key, signature } of heads) {
    expect(records[seq - 1]?.hash).toBe(hash);
    const bytes = headBytes({ accountId, seq, hash: Buffer.from(hash, 'hex'), atMs: Date.parse(at) });
    const x = Buffer.from(public_key, 'hex').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, bytes, key, Buffer.from(signature, 'hex'))).toBe(true);
  }
});
