import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApiKey } from '../../../src/account/identity/api-keys/api-keys.ts';
import {
  ensureDevelopmentAccount,
  revokeDevelopmentAccount,
} from '../../../src/account/setup/development-account.ts';
import { findAccount } from '../../../src/account/accounts/find-account.ts';
import { createKeyText } from '../../../src/account/identity/api-keys/key-text.ts';
import { loadKeyring } from '../../../src/account/identity/api-keys/keyring.ts';
import { loadPlanBook } from '../../../src/account/plans/plans.ts';
import { rotateApiKey } from '../../../src/account/identity/api-keys/rotate-api-key.ts';
import { createToken, readAccessTokens } from '../../../src/account/identity/tokens/access-tokens.ts';
import { readAccount } from '../../../src/account/setup/read-accounts.ts';
import { SCOPES } from '../../../src/account/identity/tokens/scopes.ts';
import { readTokens, TokenRing } from '../../../src/account/identity/tokens/token-ring.ts';
import { hasTwoFactor } from '../../../src/account/identity/two-factor/two-factor.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newInstallationKey } from '../test-installation-key.ts';

const NOW_MS = 1_760_000_000_000;
const ALL = { after: undefined, limit: 100 };
const filesDir = useNewDirectory();
const installationKey = newInstallationKey();

/** A start of the server on this store: the ring is read again, as after a restart. */
async function start(store: Store, more: { baseUrl?: string } = {}) {
  const tokens = new TokenRing();
  await readTokens(store, tokens, NOW_MS);
  const rings = { keyring: await loadKeyring(store, NOW_MS), plans: await loadPlanBook(store), tokens };
  const places = { store, ...rings, installationKey: await installationKey };
  const served = {
    dataDir: filesDir(),
    baseUrl: 'http://127.0.0.1:8080',
    wsUrl: 'ws://127.0.0.1:8080',
    grpcUrl: 'http://127.0.0.1:50051',
    rpcPath: '/solana-localnet',
    ...more,
  };
  const file = await ensureDevelopmentAccount(places, served, NOW_MS);
  const verdictOf = (secret: string): string =>
    (secret.startsWith('ks_tok_') ? tokens : places.keyring).find(secret, NOW_MS).kind;
  return { places, file, verdictOf };
}

/** True if the account has this second factor. */
async function hasSecondFactor(store: Store, secret: string): Promise<boolean> {
  const places = { store, installationKey: await installationKey };
  return hasTwoFactor(places, await findAccount(store, 'development'), secret);
}

async function operates(store: Store): Promise<boolean> {
  return (await readAccount(store, await findAccount(store, 'development'))).operates;
}

async function onDisk(): Promise<unknown> {
  return JSON.parse(await readFile(join(filesDir(), 'dev.json'), 'utf8'));
}

describeStores('the development account', (backend) => {
  const opened = backend.emptied();

  test('has a key, a token and a second factor that work, written for its owner only, with what is served and nothing else', async () => {
    const store = opened();
    const { file, verdictOf } = await start(store);
    expect([verdictOf(file.api_key), verdictOf(file.access_token)]).toEqual(['valid', 'valid']);
    expect(await hasSecondFactor(store, file.totp_secret)).toBe(true);
    expect(file).toEqual({
      base_url: 'http://127.0.0.1:8080',
      ws_url: 'ws://127.0.0.1:8080',
      grpc_url: 'http://127.0.0.1:50051',
      rpc_path: '/solana-localnet',
      api_key: file.api_key,
      access_token: file.access_token,
      totp_secret: file.totp_secret,
      dashboard_url: 'http://127.0.0.1:8080/dashboard',
      dashboard_email: 'developer@keyslot.localhost',
      dashboard_password: expect.stringMatching(/^[\w-]{32}$/),
    });
    expect(await onDisk()).toEqual(file);
    expect((await stat(join(filesDir(), 'dev.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(filesDir())).toEqual(['dev.json']);
  });

  test('keeps its secrets over restarts, and the file follows the address', async () => {
    const store = opened();
    const first = await start(store);
    const second = await start(store, { baseUrl: 'http://127.0.0.1:9090' });
    expect(second.file).toEqual({
      ...first.file,
      base_url: 'http://127.0.0.1:9090',
      dashboard_url: 'http://127.0.0.1:9090/dashboard',
      grpc_url: 'http://127.0.0.1:50051',
    });
    expect(await onDisk()).toEqual(second.file);
  });

  test.each([
    ['is lost', undefined],
    ['is cut off', '{"api_key": "ks_k'],
    ['is no object', 'null'],
    ['has a key that the store does not know', JSON.stringify({ api_key: createKeyText('ks_key_') })],
  ])('gets a new key, and the old one is revoked, when the file %s', async (_case, text) => {
    const store = opened();
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

  test('gets a new token and second factor when the file has those of an earlier version, which had none', async () => {
    const store = opened();
    const { file: first } = await start(store);
    await writeFile(join(filesDir(), 'dev.json'), JSON.stringify({ api_key: first.api_key }));
    const second = await start(store);
    expect(second.file.api_key).toBe(first.api_key);
    const verdicts = [first, second.file].map((file) => second.verdictOf(file.access_token));
    expect(verdicts).toEqual(['revoked', 'valid']);
    expect(await hasSecondFactor(store, first.totp_secret)).toBe(false);
    expect(await hasSecondFactor(store, second.file.totp_secret)).toBe(true);
  });

  test('keeps the keys and tokens that somebody made in it, and its token gets the scopes that came since', async () => {
    const store = opened();
    const first = await start(store);
    const accountId = await findAccount(store, 'development');
    const key = await createApiKey(first.places, { accountId, name: 'checkout' }, NOW_MS);
    const wanted = { accountId, name: 'reader', scopes: ['wallets:read'] as const, expiresAtMs: undefined };
    const token = await createToken(first.places, wanted, NOW_MS);
    const old = await createToken(first.places, { ...wanted, name: 'development' }, NOW_MS);
    await writeFile(join(filesDir(), 'dev.json'), JSON.stringify({ ...first.file, access_token: old.text }));
    const second = await start(store);
    expect([key.text, token.text, old.text].map(second.verdictOf)).toEqual(['valid', 'valid', 'valid']);
    expect(second.file.access_token).toBe(old.text);
    const scopes = async (id: string) =>
      (await readAccessTokens(store, accountId, ALL)).find((one) => one.id === id)?.scopes;
    expect([await scopes(old.id), await scopes(token.id)]).toEqual([[...SCOPES], ['wallets:read']]);
    const rotated = await rotateApiKey(second.places, { keyId: key.id, overlapMs: 0 }, NOW_MS);
    expect(second.verdictOf(rotated.text)).toBe('valid');
  });

  test('loses its secrets and its file when an operator configures the server', async () => {
    const store = opened();
    const { file, places, verdictOf } = await start(store);
    expect(await operates(store)).toBe(true);
    await revokeDevelopmentAccount(places, filesDir(), NOW_MS);
    expect([verdictOf(file.api_key), verdictOf(file.access_token)]).toEqual(['revoked', 'revoked']);
    expect((await loadKeyring(store, NOW_MS)).find(file.api_key, NOW_MS).kind).toBe('revoked');
    const later = new TokenRing();
    await readTokens(store, later, NOW_MS);
    expect(later.find(file.access_token, NOW_MS).kind).toBe('revoked');
    expect(await hasSecondFactor(store, file.totp_secret)).toBe(false);
    expect(await operates(store)).toBe(false);
    expect(await readdir(filesDir())).toEqual([]);
    await revokeDevelopmentAccount(places, filesDir(), NOW_MS);
  });
});
