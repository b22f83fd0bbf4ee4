import { expect, onTestFinished, test } from 'vitest';
import { type AccountPlane, openAccountPlane } from '../../../src/account/setup/account-plane.ts';
import { createToken, revokeToken } from '../../../src/account/identity/tokens/access-tokens.ts';
import { setCreateLimit } from '../../../src/account/plans/wallet-create-limit.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores, SILENT, useStore } from '../../store/backends.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { pay } from '../billing/books/books.ts';

const directory = useNewDirectory();
const clock = { nowMs: () => NOW_MS };

async function open(store: Store): Promise<AccountPlane> {
  const plane = await openAccountPlane({ store, clock, log: SILENT, dataDir: directory() });
  onTestFinished(() => plane.close());
  return plane;
}

describeStores('the account plane', (backend) => {
  const opened = backend.emptied();

  test('knows at its start what was there, and takes a request through a transaction', async () => {
    const store = opened();
    const accountId = await newCustomer(store);
    await pay(store, accountId, 5_000n);
    const first = await open(store);
    const wanted = { accountId, name: 'ci', scopes: ['wallets:create'], expiresAtMs: undefined } as const;
    const { text } = await createToken({ store, tokens: first.tokens }, wanted, NOW_MS);
    await setCreateLimit({ store, limits: first.limits }, accountId, 2_000);

    const { tokens, limits, money, idempotency } = await open(store);
    expect(tokens.find(text, NOW_MS).kind).toBe('valid');
    expect(limits.limitOf(accountId).burst).toBe(2_000);
    const request = {
      accountId,
      key: 'k',
      fingerprint: idempotency.fingerprint('createWallet', '{}'),
      nowMs: NOW_MS,
    };
    const [found, reservation] = await store.transaction(async (tx) => [
      await idempotency.begin(tx, request),
      await money.reserve(tx, { accountId, operation: 'wallet_creation', units: 1, nowMs: NOW_MS }),
    ]);
    if (found.kind !== 'new') throw new Error(found.kind);
    await store.transaction(async (tx) => {
      await idempotency.finish(tx, found.claim, { status: 201, body: { charged: 1 } });
      expect(await money.settle(tx, reservation, 1, NOW_MS)).toMatchObject({ charged: 1_000n, refunded: 0n });
    });
  });

  // The embedded store has one process.
  if (backend.kind === 'pglite') return;

  test('hears what other processes do to tokens and limits', async () => {
    const place = backend.place();
    const [here, there] = [await useStore(place), await useStore(place)];
    const accountId = await newCustomer(here);
    const [near, far] = [await open(here), await open(there)];
    const wanted = { accountId, name: 'ci', scopes: ['wallets:read'], expiresAtMs: undefined } as const;
    const places = { store: here, tokens: near.tokens };
    const { id, text } = await createToken(places, wanted, NOW_MS);
    const becomes = (kind: string) =>
      eventually(`the token is ${kind} elsewhere`, () =>
        far.tokens.find(text, NOW_MS).kind === kind ? true : undefined,
      );
    await becomes('valid');
    await revokeToken(places, id, NOW_MS);
    await becomes('revoked');
    await setCreateLimit({ store: here, limits: near.limits }, accountId, 3_000);
    await eventually('the limit is heard', () =>
      far.limits.limitOf(accountId).burst === 3_000 ? true : undefined,
    );
  });
});
