import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../../../src/account/accounts/accounts.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../../src/account/identity/api-keys/api-keys.ts';
import {
  type DevelopmentDeps,
  ensureDevelopmentAccount,
} from '../../../../src/account/setup/development-account.ts';
import { rotateApiKey } from '../../../../src/account/identity/api-keys/rotate-api-key.ts';
import { Keyring, loadKeyring } from '../../../../src/account/identity/api-keys/keyring.ts';
import { PlanBook } from '../../../../src/account/plans/plan-book.ts';
import { TokenRing } from '../../../../src/account/identity/tokens/token-ring.ts';
import { accounts, apiKeys } from '../../../../src/store/tables.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { describeStores } from '../../../store/backends.ts';
import { useNewDirectory } from '../../../support/new-directory.ts';
import { newInstallationKey } from '../../test-installation-key.ts';

const NOW_MS = 1_760_000_000_000;

const directory = useNewDirectory();

type Places = DevelopmentDeps & { readonly accountId: string };

async function newPlaces(store: Store): Promise<Places> {
  const accountId = randomUUID();
  await store.db
    .insert(accounts)
    .values({ id: accountId, kind: 'customer', name: 'acme', createdAt: new Date(NOW_MS) });
  const rings = { keyring: new Keyring(), plans: new PlanBook(), tokens: new TokenRing() };
  const installationKey = await newInstallationKey();
  return { store, ...rings, installationKey, accountId };
}

describeStores('API keys', (backend) => {
  const store = backend.emptied();
  const usePlaces = (): Promise<Places> => newPlaces(store());

  test('work when they are made, and after a restart, until they are revoked', async () => {
    const places = await usePlaces();
    const { accountId } = places;
    const key = await createApiKey(places, { accountId, name: 'first' }, NOW_MS);
    const valid = { kind: 'valid', keyId: key.id, accountId };
    expect(places.keyring.find(key.text, NOW_MS)).toEqual(valid);
    expect((await loadKeyring(places.store, NOW_MS)).find(key.text, NOW_MS)).toEqual(valid);

    expect(await revokeApiKey(places, key.id, NOW_MS)).toEqual(new Date(NOW_MS));
    const revoked = { kind: 'revoked', keyId: key.id, accountId };
    expect(places.keyring.find(key.text, NOW_MS)).toEqual(revoked);
    expect((await loadKeyring(places.store, NOW_MS)).find(key.text, NOW_MS)).toEqual(revoked);
  });

  test('are revoked once, at the time of the first revocation', async () => {
    const places = await usePlaces();
    const key = await createApiKey(places, { accountId: places.accountId, name: 'once' }, NOW_MS);
    const outcomes = [
      await revokeApiKey(places, key.id, NOW_MS + 1),
      await revokeApiKey(places, key.id, NOW_MS + 2),
      await revokeApiKey(places, randomUUID(), NOW_MS),
    ];
    expect(outcomes).toEqual([new Date(NOW_MS + 1), new Date(NOW_MS + 1), undefined]);
    expect(await listApiKeys(places.store, places.accountId)).toMatchObject([
      { revokedAt: new Date(NOW_MS + 1) },
    ]);
  });

  test('are listed per account, oldest first, and neither list nor store holds the key', async () => {
    const places = await usePlaces();
    const { store, accountId } = places;
    const later = await createApiKey(places, { accountId, name: 'later' }, NOW_MS + 1);
    const earlier = await createApiKey(places, { accountId, name: 'earlier' }, NOW_MS);
    const common = {
      accountId,
      account: 'acme',
      revokedAt: null,
      expiresAt: null,
      endsWithToken: false,
      allowedOrigins: [],
      allowedCidrs: [],
      allowedNetworks: [],
      allowedMethods: [],
      requestsPerSecond: null,
      requestsPerDay: null,
      endsAt: null,
    };
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
    const places = await usePlaces();
    await expect(createApiKey(places, { accountId: randomUUID(), name: 'lost' }, NOW_MS)).rejects.toThrow();
    expect(places.keyring.size).toBe(0);
  });

  test('are rotated: the old one works until the overlap is over, the new one from now on', async () => {
    const places = await usePlaces();
    const { accountId, store } = places;
    const old = await createApiKey(places, { accountId, name: 'web' }, NOW_MS);
    const next = await rotateApiKey(places, { keyId: old.id, overlapMs: 1_000 }, NOW_MS);
    expect(next).toMatchObject({ name: 'web', oldUntil: new Date(NOW_MS + 1_000) });
    for (const keyring of [places.keyring, await loadKeyring(store, NOW_MS)]) {
      expect(keyring.find(next.text, NOW_MS)).toEqual({ kind: 'valid', keyId: next.id, accountId });
      expect(keyring.find(old.text, NOW_MS + 999).kind).toBe('valid');
      expect(keyring.find(old.text, NOW_MS + 1_000)).toEqual({
        ...{ kind: 'expired', keyId: old.id, accountId },
      });
    }
    await revokeApiKey(places, old.id, NOW_MS + 500);
    expect(places.keyring.find(old.text, NOW_MS + 2_000).kind).toBe('revoked');
  });

  test('are not rotated when unknown, revoked, rotated or the development key; nothing is made then', async () => {
    const places = await usePlaces();
    const { accountId, store } = places;
    const served = {
      dataDir: directory(),
      baseUrl: 'http://127.0.0.1:1',
      wsUrl: 'ws://127.0.0.1:1',
      grpcUrl: 'http://127.0.0.1:2',
      rpcPath: '/p',
    };
    const { api_key } = await ensureDevelopmentAccount(places, served, NOW_MS);
    const own = places.keyring.find(api_key, NOW_MS);
    const revoked = await createApiKey(places, { accountId, name: 'a' }, NOW_MS);
    await revokeApiKey(places, revoked.id, NOW_MS);
    const rotated = await createApiKey(places, { accountId, name: 'b' }, NOW_MS);
    await rotateApiKey(places, { keyId: rotated.id, overlapMs: 1 }, NOW_MS);
    const before = await listApiKeys(store);
    const codeOf = (keyId: string): Promise<unknown> =>
      rotateApiKey(places, { keyId, overlapMs: 5 }, NOW_MS).then(
        () => 'rotated',
        ({ code, context }) => [code, context.state],
      );
    expect(await codeOf(randomUUID())).toEqual(['keyNotFound', undefined]);
    expect(await codeOf(revoked.id)).toEqual(['keyNotActive', 'revoked']);
    expect(await codeOf(rotated.id)).toEqual(['keyNotActive', 'rotated']);
    expect(await codeOf('keyId' in own ? own.keyId : '')).toEqual(['developmentKeyProtected', undefined]);
    expect(await listApiKeys(store)).toEqual(before);
  });

  test('keep their rules over a restart and hand them on when they are rotated', async () => {
    const places = await usePlaces();
    const rules = { origins: ['https://app.example'], cidrs: ['10.0.0.0/8', '2001:db8::/32'] };
    const key = await createApiKey(places, { accountId: places.accountId, name: 'page', rules }, NOW_MS);
    const next = await rotateApiKey(places, { keyId: key.id, overlapMs: 1_000 }, NOW_MS);
    for (const keyring of [places.keyring, await loadKeyring(places.store, NOW_MS)]) {
      for (const text of [key.text, next.text]) {
        const found = keyring.find(text, NOW_MS);
        const check = (origin: string, address: string): unknown =>
          found.kind === 'valid' ? found.checkSource?.({ origin, address }) : found.kind;
        expect(check('https://app.example', '10.1.2.3')).toBeUndefined();
        expect(check('https://app.example', '11.1.2.3')).toBe('apiKeyAddressRefused');
        expect(check('https://other.example', '2001:db8::1')).toBe('apiKeyOriginRefused');
      }
    }
  });

  test('are rotated once, however many ask at once', async () => {
    const places = await usePlaces();
    const key = await createApiKey(places, { accountId: places.accountId, name: 'race' }, NOW_MS);
    const turns = Array.from({ length: 4 }, () =>
      rotateApiKey(places, { keyId: key.id, overlapMs: 1 }, NOW_MS),
    );
    const outcomes = await Promise.allSettled(turns);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listApiKeys(places.store)).toHaveLength(2);
  });

  test('that another process revoked are refused here once they are revoked here too', async () => {
    const places = await usePlaces();
    const key = await createApiKey(places, { accountId: places.accountId, name: 'far' }, NOW_MS);
    await revokeApiKey({ store: places.store, keyring: new Keyring() }, key.id, NOW_MS);
    expect(places.keyring.find(key.text, NOW_MS).kind).toBe('valid');
    await revokeApiKey(places, key.id, NOW_MS + 1);
    expect(places.keyring.find(key.text, NOW_MS).kind).toBe('revoked');
  });

  test('belong to accounts by name, each made once', async () => {
    const { store, accountId } = await usePlaces();
    expect(await ensureAccount(store, 'acme', NOW_MS)).toBe(accountId);
    const ids = await Promise.all([1, 2].map(() => ensureAccount(store, 'other', NOW_MS)));
    expect(new Set([...ids, accountId]).size).toBe(2);
  });
});
