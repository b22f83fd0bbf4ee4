import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Signer } from '../../src/signer/signer.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useWalletService } from './use-service.ts';

let isAsked = Promise.withResolvers<void>();

/** The signer is asked, and has not answered when the client leaves. */
const withSlowSigner = (signer: Signer): Signer => ({
  ...signer,
  sign: async (request, { signal = AbortSignal.abort() } = {}) => {
    isAsked.resolve();
    await once(signal, 'abort');
    return signer.sign(request, { signal });
  },
});

const service = useWalletService({ withSigner: withSlowSigner });

test('a client that leaves while the signer works is on record as that, not as a failure of the signer', async () => {
  const { baseUrl } = service();
  const { client, token, log, balance } = await service().newAccount();
  const made = await client.createWallet({ custody: 'managed' });
  const id = made.custody === 'managed' ? made.wallet_id : '';
  isAsked = Promise.withResolvers();
  const leave = new AbortController();
  const asked = fetch(`${baseUrl}/v1/wallets/${id}/sign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'aGk=' }),
    signal: leave.signal,
  });
  asked.catch(() => undefined);
  await isAsked.promise;
  leave.abort();
  await expect(asked).rejects.toThrow();
  const lines = await eventually('the request is on record', async () => {
    const found = await log();
    return found.length > 1 ? found : undefined;
  });
  expect(lines).toEqual(['create ok', 'sign interrupted']);
  expect(await balance()).toMatchObject({ charged: 1_000n, reserved: 0n });
});
