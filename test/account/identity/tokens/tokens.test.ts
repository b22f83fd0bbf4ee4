import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import { followStore } from '../../../../src/store/follow-store.ts';
import {
  createToken,
  listTokens,
  revokeToken,
  TOKEN_CHANNEL,
  type TokenDeps,
} from '../../../../src/account/identity/tokens/access-tokens.ts';
import { readTokens, TokenRing } from '../../../../src/account/identity/tokens/token-ring.ts';
import { accessTokens } from '../../../../src/store/access-tables.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';

describeStores('access tokens', (backend) => {
  const store = backend.shared();

  async function setUp() {
    const places: TokenDeps = { store: store(), tokens: new TokenRing() };
    return { places, accountId: await newCustomer(store()) };
  }

  const loaded = async (nowMs = NOW_MS): Promise<TokenRing> => {
    const ring = new TokenRing();
    await readTokens(store(), ring, nowMs);
    return ring;
  };

  const wanted = (accountId: string) =>
    ({ accountId, name: 'ci', scopes: ['wallets:read', 'wallets:sign'], expiresAtMs: undefined }) as const;

  test('work when they are made and after a restart, with their scopes, until they are revoked', async () => {
    const { places, accountId } = await setUp();
    const { id: tokenId, text } = await createToken(places, wanted(accountId), NOW_MS);
    expect(text).toMatch(/^ks_tok_[0-9A-Za-z]{49}$/);
    const scopes = new Set(['wallets:read', 'wallets:sign']);
    for (const ring of [places.tokens, await loaded()])
      expect(ring.find(text, NOW_MS)).toEqual({ kind: 'valid', tokenId, accountId, scopes });

    expect(await revokeToken(places, tokenId, NOW_MS + 1)).toEqual(new Date(NOW_MS + 1));
    expect(await revokeToken(places, tokenId, NOW_MS + 2)).toEqual(new Date(NOW_MS + 1));
    for (const ring of [places.tokens, await loaded()])
      expect(ring.find(text, 0)).toMatchObject({ kind: 'revoked', tokenId });
    expect(await revokeToken(places, randomUUID(), NOW_MS)).toBeUndefined();
  });

  test('of which a request is served are not forgotten after they have expired, and can be revoked until it ends', async () => {
    const { places, accountId } = await setUp();
    const { tokens } = places;
    const { id } = await createToken(places, { ...wanted(accountId), expiresAtMs: NOW_MS + 1 }, NOW_MS);
    const inUse = tokens.use(id);
    tokens.forgetExpired(NOW_MS + 7 * 86_400_000);
    expect([tokens.size, tokens.isRevoked(id)]).toEqual([1, false]);
    tokens.revoke(id);
    expect(tokens.isRevoked(id)).toBe(true);
    inUse[Symbol.dispose]();
    tokens.forgetExpired(NOW_MS + 7 * 86_400_000);
    expect([tokens.size, tokens.isRevoked(id)]).toEqual([0, true]);
  });

  test('end when they expire, at that millisecond', async () => {
    const { places, accountId } = await setUp();
    const expiresAtMs = NOW_MS + 1_000;
    const { id, text } = await createToken(places, { ...wanted(accountId), expiresAtMs }, NOW_MS);
    for (const ring of [places.tokens, await loaded()]) {
      expect(ring.find(text, expiresAtMs - 1).kind).toBe('valid');
      expect(ring.find(text, expiresAtMs)).toMatchObject({ kind: 'expired', tokenId: id });
    }
  });

  test('are forgotten a day after they expired, and those that never do are kept', async () => {
    const { places, accountId } = await setUp();
    const { text: lasting } = await createToken(places, wanted(accountId), NOW_MS);
    const { text } = await createToken(places, { ...wanted(accountId), expiresAtMs: NOW_MS }, NOW_MS);
    const [dayMs, { tokens: ring }] = [86_400_000, places];
    ring.forgetExpired(NOW_MS + dayMs - 1);
    for (const each of [ring, await loaded(NOW_MS + dayMs - 1)])
      expect(each.find(text, NOW_MS).kind).toBe('expired');
    const size = ring.size;
    ring.forgetExpired(NOW_MS + dayMs);
    expect(ring.size).toBe(size - 1);
    for (const each of [ring, await loaded(NOW_MS + dayMs)])
      expect([each.find(text, NOW_MS).kind, each.find(lasting, NOW_MS).kind]).toEqual(['unknown', 'valid']);
  });

  test('are unknown when mistyped, never made, or keys of another kind', async () => {
    const { places, accountId } = await setUp();
    const { text } = await createToken(places, wanted(accountId), NOW_MS);
    const others = [
      `${text.slice(0, -1)}!`,
      createKeyText('ks_tok_'),
      createKeyText('ks_key_'),
      '',
      `${text} `,
    ];
    for (const other of others) expect(places.tokens.find(other, NOW_MS)).toEqual({ kind: 'unknown' });
  });

  test('are listed per account, and neither list nor store holds the token', async () => {
    const { places, accountId } = await setUp();
    const { id, text } = await createToken(places, wanted(accountId), NOW_MS);
    const [listed, ...others] = await listTokens(store(), accountId);
    expect(others).toEqual([]);
    expect(listed).toEqual({
      id,
      accountId,
      account: accountId,
      name: 'ci',
      prefix: text.slice(0, 11),
      scopes: ['wallets:read', 'wallets:sign'],
      createdAt: new Date(NOW_MS),
      expiresAt: null,
      revokedAt: null,
    });
    const stored = inspect([await store().db.select().from(accessTokens), listed], { maxStringLength: null });
    expect(stored).not.toContain(text.slice(11));
  });

  test('of an account that does not exist are not made, nor those without a scope', async () => {
    const { places, accountId } = await setUp();
    await expect(createToken(places, wanted(randomUUID()), NOW_MS)).rejects.toThrow();
    await expect(createToken(places, { ...wanted(accountId), scopes: [] }, NOW_MS)).rejects.toThrow();
    expect(places.tokens.size).toBe(0);
  });

  test('that another process makes or revokes are heard of', async () => {
    const { places: elsewhere, accountId } = await setUp();
    const here = new TokenRing();
    let announce: (id: string) => Promise<void> = async () => undefined;
    const listen: Store['listen'] = async (channel, { onConnected, onAnnouncement }) => {
      expect(channel).toBe(TOKEN_CHANNEL);
      announce = onAnnouncement;
      await onConnected();
      return { close: async () => undefined };
    };
    const read = (id?: string) => readTokens(store(), here, NOW_MS, id);
    await followStore(listen, { channel: TOKEN_CHANNEL, read });
    const { id, text } = await createToken(elsewhere, wanted(accountId), NOW_MS);
    expect(here.find(text, NOW_MS).kind).toBe('unknown');
    await announce(id);
    expect(here.find(text, NOW_MS).kind).toBe('valid');
    await revokeToken(elsewhere, id, NOW_MS);
    await announce('nonsense');
    await announce(id);
    expect(here.find(text, NOW_MS).kind).toBe('revoked');
  });
});
