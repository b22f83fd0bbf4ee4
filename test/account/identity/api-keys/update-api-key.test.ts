import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AuditChange } from '../../../../runtime/audit-bytes.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../../src/account/identity/api-keys/api-keys.ts';
import type { KeyRules } from '../../../../src/account/identity/api-keys/key-rules.ts';
import { Keyring, loadKeyring } from '../../../../src/account/identity/api-keys/keyring.ts';
import { rotateApiKey } from '../../../../src/account/identity/api-keys/rotate-api-key.ts';
import { updateApiKey } from '../../../../src/account/identity/api-keys/update-api-key.ts';
import { sql } from '../../../../src/store/drizzle.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';

const HOUR_MS = 3_600_000;
const inHours = (hours: number): Date => new Date(NOW_MS + hours * HOUR_MS);

describeStores('changes of API keys', (backend) => {
  const store = backend.emptied();

  async function newKey(rules: Partial<KeyRules> = {}, tokenEnd?: Date) {
    const recorded: (readonly AuditChange[] | undefined)[] = [];
    const deps = {
      store: store(),
      keyring: new Keyring(),
      record: async (_tx: unknown, _id: string, changes?: readonly AuditChange[]) =>
        void recorded.push(changes),
    };
    const accountId = await newCustomer(deps.store);
    const { id, text } = await createApiKey(deps, { accountId, name: 'web', rules, tokenEnd }, NOW_MS);
    recorded.length = 0;
    const update = (change: Partial<KeyRules>, callerEnd?: Date) =>
      updateApiKey(deps, { keyId: id, rules: change, callerEnd }, NOW_MS);
    const codeOf = (change: Partial<KeyRules>, callerEnd?: Date): Promise<string> =>
      update(change, callerEnd).then(
        () => 'changed',
        ({ code }) => String(code),
      );
    return { deps, accountId, id, text, recorded, update, codeOf };
  }

  test('hold at once and after a restart; what is not named stays, and what is cleared is gone', async () => {
    const { deps, id, text, update } = await newKey({ methods: ['read'], requestsPerSecond: 5 });
    await update({ requestsPerDay: 100, networks: ['solana-devnet'], endsAt: inHours(1) });
    for (const keyring of [deps.keyring, await loadKeyring(deps.store, NOW_MS)]) {
      const rules = keyring.callRulesOf(id);
      expect(rules?.allowed).toBe('read');
      expect(rules?.limits.map(({ per, burst }) => [per, burst])).toEqual([
        ['second', 5],
        ['day', 100],
      ]);
      const source = { origin: undefined, address: undefined, network: 'solana-mainnet' };
      expect(keyring.standingOf(id, NOW_MS, source)).toBe('apiKeyNetworkRefused');
      expect(keyring.find(text, NOW_MS + HOUR_MS - 1).kind).toBe('valid');
      expect(keyring.find(text, NOW_MS + HOUR_MS).kind).toBe('expired');
    }
    await update({ methods: [], requestsPerSecond: null, requestsPerDay: null, networks: [], endsAt: null });
    for (const keyring of [deps.keyring, await loadKeyring(deps.store, NOW_MS)]) {
      expect(keyring.callRulesOf(id)).toBeUndefined();
      expect(keyring.find(text, NOW_MS + HOUR_MS)).toMatchObject({ kind: 'valid', checkSource: undefined });
    }
  });

  test('are recorded with what was before and after, bounded, and not where nothing changes', async () => {
    const { recorded, update } = await newKey({ methods: ['read'] });
    await update({ methods: ['read', 'send'], requestsPerDay: 10, endsAt: inHours(1) });
    expect((await update({ methods: ['read', 'send'] })).changes).toEqual([]);
    expect(recorded).toEqual([
      [
        { member: 'allowed_methods', before: 'read', after: 'read, send' },
        { member: 'requests_per_day', before: 'as the plan', after: '10' },
        { member: 'expires_at', before: 'never', after: inHours(1).toISOString() },
      ],
    ]);
    await update({ origins: Array.from({ length: 100 }, (_, index) => `https://${index}.example`) });
    expect(recorded[1]?.[0]?.after).toHaveLength(301);
  });

  test('that are only tried out are checked and told, and change nothing', async () => {
    const { deps, id, recorded } = await newKey({ methods: ['read'] });
    const tried = { keyId: id, callerEnd: undefined, isDryRun: true };
    const { key, changes } = await updateApiKey(deps, { ...tried, rules: { methods: [] } }, NOW_MS);
    expect(key.allowedMethods).toEqual([]);
    expect(changes).toEqual([{ member: 'allowed_methods', before: 'read', after: 'any' }]);
    expect([recorded, deps.keyring.callRulesOf(id)?.allowed]).toEqual([[], 'read']);
    expect((await loadKeyring(deps.store, NOW_MS)).callRulesOf(id)?.allowed).toBe('read');
  });

  test('are of keys that work: not of one that was revoked, rotated or has expired, nor of none', async () => {
    const revoked = await newKey();
    await revokeApiKey(revoked.deps, revoked.id, NOW_MS);
    const rotated = await newKey();
    await rotateApiKey(rotated.deps, { keyId: rotated.id, overlapMs: HOUR_MS }, NOW_MS);
    const expired = await newKey({ endsAt: new Date(NOW_MS) });
    for (const { codeOf, recorded } of [revoked, rotated, expired]) {
      recorded.length = 0;
      expect(await codeOf({ methods: [] })).toBe('keyNotActive');
      expect(recorded).toEqual([]);
    }
    const missing = { keyId: randomUUID(), rules: {}, callerEnd: undefined };
    await expect(updateApiKey(revoked.deps, missing, NOW_MS)).rejects.toMatchObject({ code: 'keyNotFound' });
  });

  test('with a token that expires leave a key that ends before it does', async () => {
    const lasting = await newKey();
    expect(await lasting.codeOf({ methods: ['read'] }, inHours(2))).toBe('outlivesToken');
    expect(await lasting.codeOf({ endsAt: inHours(3) }, inHours(2))).toBe('outlivesToken');
    expect(lasting.recorded).toEqual([]);
    expect(await lasting.codeOf({ endsAt: inHours(1) }, inHours(2))).toBe('changed');
    expect(await lasting.codeOf({ endsAt: null }, inHours(2))).toBe('outlivesToken');

    const ofToken = await newKey({}, inHours(2));
    expect(await ofToken.codeOf({ endsAt: inHours(3) }, inHours(2))).toBe('outlivesToken');
    expect(await ofToken.codeOf({ methods: ['read'] }, inHours(2))).toBe('changed');
    const ends = async () => (await listApiKeys(ofToken.deps.store, ofToken.accountId))[0];
    expect(await ends()).toMatchObject({ expiresAt: inHours(2), endsAt: null, endsWithToken: true });
    await ofToken.update({ endsAt: inHours(3) });
    expect(await ends()).toMatchObject({ expiresAt: null, endsAt: inHours(3), endsWithToken: false });
    await ofToken.update({ endsAt: null });
    expect(await ends()).toMatchObject({ expiresAt: null, endsAt: null, endsWithToken: false });
  });

  test('go over to the key that replaces it, and its end date bounds the overlap', async () => {
    const { deps, id, update } = await newKey();
    await update({ methods: ['getSlot'], requestsPerDay: 7, endsAt: inHours(1) });
    const next = await rotateApiKey(deps, { keyId: id, overlapMs: 2 * HOUR_MS }, NOW_MS);
    expect([next.until, next.oldUntil]).toEqual([inHours(1), inHours(1)]);
    expect(deps.keyring.callRulesOf(next.id)).toMatchObject({ allowed: 'getSlot', limits: [{ burst: 7 }] });
    expect(deps.keyring.find(next.text, NOW_MS + HOUR_MS).kind).toBe('expired');
  });

  test('of two at once, the ring has what the store has', async () => {
    const { deps, id, update } = await newKey();
    await Promise.all([1, 2, 3, 4].map((requestsPerSecond) => update({ requestsPerSecond })));
    const stored = (await loadKeyring(deps.store, NOW_MS)).callRulesOf(id)?.limits[0]?.burst;
    expect(deps.keyring.callRulesOf(id)?.limits[0]?.burst).toBe(stored);
  });

  test('a key of an earlier version has no rules but those that it had', async () => {
    const { deps, accountId } = await newKey();
    const id = randomUUID();
    await deps.store.db.execute(sql`
      insert into api_keys (id, account_id, digest, prefix, name, created_at, allowed_origins, allowed_cidrs, ends_with_token)
      values (${id}, ${accountId}, ${Buffer.alloc(32, 1)}, 'ks_key_0000', 'old', now(), '{}', '{10.0.0.0/8}', false)`);
    const keyring = await loadKeyring(deps.store, NOW_MS);
    expect(keyring.callRulesOf(id)).toBeUndefined();
    const from = (address: string) => ({ origin: undefined, address, network: 'solana-devnet' });
    expect(keyring.standingOf(id, NOW_MS, from('10.1.2.3'))).toBe('valid');
    expect(keyring.standingOf(id, NOW_MS, from('11.1.2.3'))).toBe('apiKeyAddressRefused');
  });
});
