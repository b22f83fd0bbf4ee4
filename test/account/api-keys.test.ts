import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createApiKey, type KeyPlaces, listApiKeys, revokeApiKey } from '../../src/account/api-keys.ts';
import { Keyring, loadKeyring } from '../../src/account/keyring.ts';
import { accounts, apiKeys } from '../../src/store/tables.ts';
import { describeStores, type TestBackend, useStore } from '../store/backends.ts';

const NOW_MS = 1_760_000_000_000;

async function usePlaces(backend: TestBackend): Promise<KeyPlaces & { readonly accountId: string }> {
  const store = await useStore(backend.place());
  const accountId = randomUUID();
  await store.db.insert(accounts).values({ id: accountId, kind: 'customer', createdAt: new Date(NOW_MS) });
  return { store, keyring: new Keyring(), accountId };
}

describeStores('API keys', (backend) => {
  test('work when they are made, and after a restart, until they are revoked', async () => {
    const places = await usePlaces(backend);
    const { accountId } = places;
    const key = await createApiKey(places, { accountId, name: 'first' }, NOW_MS);
    const valid = { kind: 'valid', keyId: key.id, accountId };
    expect(places.keyring.find(key.text, NOW_MS)).toEqual(valid);
    expect((await loadKeyring(places.store)).find(key.text, NOW_MS)).toEqual(valid);

    expect(await revokeApiKey(places, key.id, NOW_MS)).toBe(true);
    const revoked = { kind: 'revoked', keyId: key.id };
    expect(places.keyring.find(key.text, NOW_MS)).toEqual(revoked);
    expect((await loadKeyring(places.store)).find(key.text, NOW_MS)).toEqual(revoked);
  });

  test('are revoked once, at the time of the first revocation', async () => {
    const places = await usePlaces(backend);
    const key = await createApiKey(places, { accountId: places.accountId, name: 'once' }, NOW_MS);
    const outcomes = [
      await revokeApiKey(places, key.id, NOW_MS + 1),
      await revokeApiKey(places, key.id, NOW_MS + 2),
      await revokeApiKey(places, randomUUID(), NOW_MS),
    ];
    expect(outcomes).toEqual([true, false, false]);
    expect(await listApiKeys(places.store, places.accountId)).toMatchObject([
      { revokedAt: new Date(NOW_MS + 1) },
    ]);
  });

  test('are listed per account, oldest first, and neither list nor store holds the key', async () => {
    const places = await usePlaces(backend);
    const { store, accountId } = places;
    const later = await createApiKey(places, { accountId, name: 'later' }, NOW_MS + 1);
    const earlier = await createApiKey(places, { accountId, name: 'earlier' }, NOW_MS);
    const common = { accountId, revokedAt: null };
    expect(await listApiKeys(store, accountId)).toEqual([
      {
        ...common,
        id: earlier.id,
        name: 'earlier',
        prefix: earlier.text.slice(0, 11),
        createdAt: new Date(NOW_MS),
      },
      {
        ...common,
        id: later.id,
        name: 'later',
        prefix: later.text.slice(0, 11),
        createdAt: new Date(NOW_MS + 1),
      },
    ]);
    expect(await listApiKeys(store, randomUUID())).toEqual([]);
    const stored = inspect(await store.db.select().from(apiKeys), { maxStringLength: null });
    expect(stored).not.toContain(later.text.slice(11));
  });

  test('of an account that does not exist are not made', async () => {
    const places = await usePlaces(backend);
    await expect(createApiKey(places, { accountId: randomUUID(), name: 'lost' }, NOW_MS)).rejects.toThrow();
    expect(places.keyring.size).toBe(0);
  });
});
