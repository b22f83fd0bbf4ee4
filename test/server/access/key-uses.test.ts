import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../../src/account/accounts/accounts.ts';
import { createApiKey } from '../../../src/account/identity/api-keys/api-keys.ts';
import { Keyring } from '../../../src/account/identity/api-keys/keyring.ts';
import { readKeyUses, writeKeyUses } from '../../../src/account/identity/api-keys/key-uses.ts';
import { addUsage } from '../../../src/account/usage/usage-store.ts';
import { createClientAddress, createTrustsPeer } from '../../../src/server/access/client-address.ts';
import { createKeyUses, type KeyUse } from '../../../src/server/access/key-uses.ts';
import { describeStores } from '../../store/backends.ts';

const NOW_MS = Date.UTC(2025, 9, 9, 12, 0, 30);
const MINUTE_MS = 60_000;

function createBook(write: (uses: readonly KeyUse[]) => Promise<void>) {
  const clock = { now: NOW_MS, nowMs: () => clock.now };
  const clientAddress = createClientAddress(
    createTrustsPeer({ isBehindProxy: true, trustedProxies: ['10.0.0.0/8'] }),
  );
  const warnings: unknown[] = [];
  const log = { warn: (...texts: unknown[]) => void warnings.push(texts) };
  return { clock, warnings, uses: createKeyUses({ write, clientAddress, clock, log }) };
}

const from = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

test('keeps the last use of each, with the address that a trusted proxy reports, and stores it once', async () => {
  const written: (readonly KeyUse[])[] = [];
  const { clock, uses } = createBook(async (batch) => void written.push(batch));
  uses.note('a', from('192.0.2.1'));
  uses.note('b', from('::ffff:192.0.2.2', '198.51.100.1'));
  clock.now += 1_000;
  uses.note('a', from('10.0.0.1', '203.0.113.9, 198.51.100.7'));
  await uses.flush();
  await uses.close();
  expect(written).toEqual([
    [
      { id: 'a', atMs: NOW_MS + 1_000, address: '198.51.100.7' },
      { id: 'b', atMs: NOW_MS, address: '192.0.2.2' },
    ],
  ]);
});

test('what could not be stored is stored later, unless the key was used again', async () => {
  const written: (readonly KeyUse[])[] = [];
  let isBroken = true;
  const { clock, uses } = createBook(async (batch) => {
    if (isBroken) throw new Error('broken');
    written.push(batch);
  });
  uses.note('a', from('192.0.2.1'));
  uses.note('b', from('192.0.2.1'));
  await expect(uses.flush()).rejects.toThrow('broken');
  clock.now += 1;
  uses.note('a', from('192.0.2.2'));
  isBroken = false;
  await uses.close();
  expect(written).toEqual([
    [
      { id: 'a', atMs: NOW_MS + 1, address: '192.0.2.2' },
      { id: 'b', atMs: NOW_MS, address: '192.0.2.1' },
    ],
  ]);
});

test('a store that fails at the end is reported', async () => {
  const { warnings, uses } = createBook(() => Promise.reject(new Error('broken')));
  uses.note('a', from('192.0.2.1'));
  await uses.close();
  expect(warnings).toHaveLength(1);
});

describeStores('last uses', (backend) => {
  const store = backend.emptied();

  async function newKey(): Promise<string> {
    const accountId = await ensureAccount(store(), 'acme', NOW_MS);
    const wanted = { accountId, name: 'web' };
    return (await createApiKey({ store: store(), keyring: new Keyring() }, wanted, NOW_MS)).id;
  }

  test('a key that is not stored, as those of sessions, leaves nothing behind', async () => {
    const id = randomUUID();
    await writeKeyUses(store(), [{ id, atMs: NOW_MS, address: '192.0.2.1' }]);
    expect(await readKeyUses(store(), [id])).toEqual(new Map());
  });

  test('a later use replaces an earlier one, and no other way round', async () => {
    const id = await newKey();
    for (const [atMs, address] of [
      [NOW_MS, '192.0.2.1'],
      [NOW_MS + 2, undefined],
      [NOW_MS + 1, '192.0.2.3'],
    ] as const)
      await writeKeyUses(store(), [{ id, atMs, address }]);
    expect(await readKeyUses(store(), [id, randomUUID()])).toEqual(
      new Map([[id, { at: new Date(NOW_MS + 2), address: undefined }]]),
    );
  });

  test.each([
    ['a call', { calls: 1, messages: 0 }],
    ['a message that is pushed', { calls: 0, messages: 1 }],
  ])('%s over a connection that was opened earlier is a use', async (_, own) => {
    const id = await newKey();
    const minuteMs = Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    await writeKeyUses(store(), [{ id, atMs: NOW_MS, address: '192.0.2.1' }]);
    const counts = { errors: 0, callerErrors: 0, refused: 0, weight: 0, ...own };
    const row = { minuteMs, keyId: id, network: 'solana-localnet', method: 'getSlot', ...counts };
    await addUsage(store(), { writerId: randomUUID(), number: 1, rows: [row] }, NOW_MS);
    expect(await readKeyUses(store(), [id])).toEqual(
      new Map([[id, { at: new Date(minuteMs), address: '192.0.2.1' }]]),
    );
  });
});
