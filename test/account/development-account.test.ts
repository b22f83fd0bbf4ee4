import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KeyPlaces } from '../../src/account/api-keys.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from '../../src/account/development-account.ts';
import { createKeyText } from '../../src/account/key-text.ts';
import { loadKeyring } from '../../src/account/keyring.ts';
import { loadPlanBook } from '../../src/account/plans.ts';
import { describeStores, useStore } from '../store/backends.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const NOW_MS = 1_760_000_000_000;
const filesDir = useNewDirectory();

/** A start of the server on this store: the ring is read anew, as after a restart. */
async function start(store: KeyPlaces['store'], more: { baseUrl?: string } = {}) {
  const places = { store, keyring: await loadKeyring(store), plans: await loadPlanBook(store) };
  const served = {
    dataDir: filesDir(),
    baseUrl: 'http://127.0.0.1:8080',
    rpcPath: '/solana-localnet',
    ...more,
  };
  const file = await ensureDevelopmentAccount(places, served, NOW_MS);
  return { places, file, verdictOf: (key: string) => places.keyring.find(key, NOW_MS).kind };
}

async function onDisk(): Promise<unknown> {
  return JSON.parse(await readFile(join(filesDir(), 'dev.json'), 'utf8'));
}

describeStores('the development account', (backend) => {
  test('has a key that works, written for its owner only, with what is served and nothing else', async () => {
    const store = await useStore(backend.place());
    const { file, verdictOf } = await start(store);
    expect(verdictOf(file.api_key)).toBe('valid');
    expect(file).toEqual({
      base_url: 'http://127.0.0.1:8080',
      rpc_path: '/solana-localnet',
      api_key: file.api_key,
    });
    expect(await onDisk()).toEqual(file);
    expect((await stat(join(filesDir(), 'dev.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(filesDir())).toEqual(['dev.json']);
  });

  test('keeps its key over restarts, and the file follows the address', async () => {
    const store = await useStore(backend.place());
    const first = await start(store);
    const second = await start(store, { baseUrl: 'http://127.0.0.1:9090' });
    expect(second.file).toEqual({
      ...first.file,
      base_url: 'http://127.0.0.1:9090',
    });
    expect(await onDisk()).toEqual(second.file);
  });

  test.each([
    ['is lost', undefined],
    ['is cut off', '{"api_key": "ks_k'],
    ['is no object', 'null'],
    ['has a key that the store does not know', JSON.stringify({ api_key: createKeyText('ks_key_') })],
  ])('gets a new key, and the old one is revoked, when the file %s', async (_case, text) => {
    const store = await useStore(backend.place());
    const first = await start(store);
    if (text === undefined) await rm(join(filesDir(), 'dev.json'));
    else await writeFile(join(filesDir(), 'dev.json'), text);
    const second = await start(store);
    expect(second.file.api_key).not.toBe(first.file.api_key);
    expect([second.verdictOf(first.file.api_key), second.verdictOf(second.file.api_key)]).toEqual([
      'revoked',
      'valid',
    ]);
  });

  test('loses its key and its file when an operator configures the server', async () => {
    const store = await useStore(backend.place());
    const { file, places, verdictOf } = await start(store);
    await revokeDevelopmentAccount(places, filesDir(), NOW_MS);
    expect(verdictOf(file.api_key)).toBe('revoked');
    expect((await loadKeyring(store)).find(file.api_key, NOW_MS).kind).toBe('revoked');
    expect(await readdir(filesDir())).toEqual([]);
    await revokeDevelopmentAccount(places, filesDir(), NOW_MS);
  });
});
