import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../src/account/identity/api-keys/api-keys.ts';
import { compileRules } from '../../src/account/identity/api-keys/key-rules.ts';
import { digestKey, Keyring, loadKeyring } from '../../src/account/identity/api-keys/keyring.ts';
import { rotateApiKey } from '../../src/account/identity/api-keys/rotate-api-key.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { openOperatorWorld } from '../account/api/operator-world.ts';
import { describeStores } from '../store/backends.ts';
import { keptBytes } from '../support/kept-bytes.ts';

// Keys can be rotated and revoked as fast as the plan allows. Each gateway has all of them in memory.

const DAY_MS = 86_400_000;
const RULES = {
  origins: Array.from({ length: 100 }, (_, at) => `https://${'a'.repeat(200)}${at}.example`),
  cidrs: Array.from({ length: 100 }, (_, at) => `2001:db8:${at.toString(16)}::/48`),
};

/** A ring, and what puts a key with a hundred origins and networks into it. */
function newRing() {
  const keyring = new Keyring();
  const add = (expiresAtMs?: number): string => {
    const keyId = randomUUID();
    const checkSource = compileRules({ ...RULES, origins: RULES.origins.map((each) => each + keyId) });
    const ends = { isRevoked: false, expiresAtMs };
    keyring.put({ keyId, accountId: 'a', digest: digestKey(keyId), ...ends, checkSource });
    return keyId;
  };
  return { keyring, add };
}

test.each([
  ['revoked', (keyring: Keyring, keyId: string) => keyring.revoke(keyId)],
  ['rotated', (keyring: Keyring, keyId: string) => keyring.expire(keyId, NOW_MS, NOW_MS)],
])('where a %s key was allowed is kept no longer', async (_how, end) => {
  const { keyring, add } = newRing();
  expect(await keptBytes(200, () => end(keyring, add()))).toBeLessThan(5_000);
  expect(keyring.size).toBe(201);
});

test('a key that has ended is refused as such for a week, and then forgotten', async () => {
  const { keyring, add } = newRing();
  const [working, revoked, rotated] = [add(), add(), add(NOW_MS + DAY_MS)];
  keyring.revoke(revoked);
  keyring.forgetEnded(NOW_MS);
  const states = (nowMs: number) => [working, revoked, rotated].map((id) => keyring.standingOf(id, nowMs));
  expect(states(NOW_MS)).toEqual(['valid', 'revoked', 'valid']);
  keyring.forgetEnded(NOW_MS + 7 * DAY_MS - 1);
  expect(states(NOW_MS + 7 * DAY_MS)).toEqual(['valid', 'revoked', 'expired']);
  keyring.forgetEnded(NOW_MS + 7 * DAY_MS);
  expect(states(NOW_MS + 7 * DAY_MS)).toEqual(['valid', 'unknown', 'expired']);
  keyring.forgetEnded(NOW_MS + 8 * DAY_MS);
  expect([keyring.size, keyring.countOf('a')]).toEqual([1, 1]);
});

describeStores('an account', (backend) => {
  const store = backend.emptied();

  test('that has rotated and revoked its keys on and on starts a gateway with those of the last week', async () => {
    const { deps, customer } = await openOperatorWorld(store());
    const { size } = await loadKeyring(store(), NOW_MS);
    const make = async () => (await createApiKey(deps, { accountId: customer, name: 'k' }, NOW_MS)).id;
    let newest = await make();
    for (let at = 0; at < 10; at++) {
      await revokeApiKey(deps, await make(), NOW_MS);
      newest = (await rotateApiKey(deps, { keyId: newest, overlapMs: 0 }, NOW_MS)).id;
    }
    expect((await loadKeyring(store(), NOW_MS)).size).toBe(size + 21);
    const later = await loadKeyring(store(), NOW_MS + 7 * DAY_MS);
    expect([later.size, later.standingOf(newest, NOW_MS)]).toEqual([size + 1, 'valid']);
  });

  test('makes ten times as many keys a day as may work; it rotates as many more, and the operator makes more', async () => {
    const { deps, customer, asToken, asOperator } = await openOperatorWorld(store(), {
      bounds: { max_keys: 2, max_tokens: 5 },
    });
    const token = {
      accountId: customer,
      name: 't',
      scopes: ['keys:manage' as const],
      expiresAtMs: undefined,
    };
    const { id } = await createToken(deps, token, NOW_MS);
    const call = asToken(customer, id);
    const body = { name: 'k', allowed_origins: [], allowed_cidrs: [] };
    const make = async () => (await call('createKey', { body })).key_id;
    let newest = '';
    for (let made = 0; made < 20; made++) {
      if (newest !== '') await call('revokeKey', { id: newest });
      newest = await make();
    }
    const refused = { code: 'keysTooMany', context: { which: 'made within a day', value: 20, limit: 20 } };
    await expect(make()).rejects.toMatchObject(refused);
    const rotate = async () => {
      newest = (await call('rotateKey', { id: newest, body: { overlap_seconds: 0 } })).key_id;
    };
    for (let made = 20; made < 40; made++) await rotate();
    await expect(rotate()).rejects.toMatchObject({ ...refused, context: { value: 40, limit: 40 } });
    expect(await asOperator('createKey', { body })).toMatchObject({ name: 'k' });
    await expect(
      createApiKey(deps, { accountId: customer, name: 'k', atMost: 2 }, NOW_MS + DAY_MS),
    ).resolves.toBeDefined();
  });
});
