import { randomUUID } from 'node:crypto';
import { sql } from '../../../../src/store/drizzle.ts';
import { expect, onTestFinished, test } from 'vitest';
import { ensureAccount } from '../../../../src/account/accounts/accounts.ts';
import {
  createApiKey,
  type KeyDeps,
  revokeApiKey,
} from '../../../../src/account/identity/api-keys/api-keys.ts';
import { followKeys } from '../../../../src/account/identity/api-keys/follow-keys.ts';
import { rotateApiKey } from '../../../../src/account/identity/api-keys/rotate-api-key.ts';
import type { StoreOptions } from '../../../../src/store/open-store.ts';
import { describeStores, useStore } from '../../../store/backends.ts';

const NOW_MS = 1_760_000_000_000;

/** A process of its own, as far as keys go: a store and a ring that follows it. */
async function openPlaces(place: StoreOptions): Promise<KeyDeps> {
  const store = await useStore(place);
  const { keyring, close } = await followKeys(store, { nowMs: () => NOW_MS });
  onTestFinished(close);
  return { store, keyring };
}

describeStores('keys of one store', (backend) => {
  test('are read by a process that begins to follow them', async () => {
    const places = await openPlaces(backend.place());
    const accountId = await ensureAccount(places.store, 'acme', NOW_MS);
    const key = await createApiKey(places, { accountId, name: 'a' }, NOW_MS);
    const { keyring, close } = await followKeys(places.store, { nowMs: () => NOW_MS });
    await close();
    expect(keyring.find(key.text, NOW_MS).kind).toBe('valid');
  });

  if (backend.kind === 'pglite') return;

  const kindAt = ({ keyring }: KeyDeps, text: string): string => keyring.find(text, NOW_MS).kind;

  const becomes = (places: KeyDeps, text: string, kind: string): Promise<void> =>
    expect.poll(() => kindAt(places, text), { interval: 5 }).toBe(kind);

  test('are made, rotated and revoked for all processes, without a restart', async () => {
    const place = backend.place();
    const [here, there] = [await openPlaces(place), await openPlaces(place)];
    const accountId = await ensureAccount(here.store, 'acme', NOW_MS);

    const first = await createApiKey(here, { accountId, name: 'a' }, NOW_MS);
    await becomes(there, first.text, 'valid');
    const second = await rotateApiKey(there, { keyId: first.id, overlapMs: 0 }, NOW_MS);
    await becomes(here, second.text, 'valid');
    await becomes(here, first.text, 'expired');
    await revokeApiKey(here, second.id, NOW_MS);
    await becomes(there, second.text, 'revoked');
  });

  test('that change while a process does not hear the store are read when it does again', async () => {
    const place = backend.place();
    const [here, there] = [await openPlaces(place), await openPlaces(place)];
    const accountId = await ensureAccount(here.store, 'acme', NOW_MS);
    const key = await createApiKey(here, { accountId, name: 'a' }, NOW_MS);
    await becomes(there, key.text, 'valid');

    // A change without an announcement: none is heard while the connection is lost.
    await here.store.db.execute(sql`update api_keys set revoked_at = now() where id = ${key.id}`);
    expect(kindAt(there, key.text)).toBe('valid');
    await cutListeners(there);
    await becomes(there, key.text, 'revoked');

    const next = await createApiKey(here, { accountId, name: 'b' }, NOW_MS);
    await becomes(there, next.text, 'valid');
  });

  test('are not looked for by what is announced and is none', async () => {
    const place = backend.place();
    const [here, there] = [await openPlaces(place), await openPlaces(place)];
    for (const payload of ['', "'; drop table api_keys; --", randomUUID()])
      await here.store.db.execute(sql`select pg_notify('keyslot_api_keys', ${payload})`);
    const accountId = await ensureAccount(here.store, 'acme', NOW_MS);
    const key = await createApiKey(here, { accountId, name: 'a' }, NOW_MS);
    await becomes(there, key.text, 'valid');
  });
});

/** Has PostgreSQL end every connection that listens: those of other tests open theirs again too. */
async function cutListeners({ store }: KeyDeps): Promise<void> {
  await store.db.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keyslot listener'`,
  );
}
