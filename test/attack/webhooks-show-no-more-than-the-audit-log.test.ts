import { expect, test } from 'vitest';
import { type OperationId, OPERATIONS, ROLES } from '../../generated/account/operations.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import type { Scope } from '../../src/account/identity/tokens/scopes.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { openOperatorWorld } from '../account/api/operator-world.ts';
import { describeStores } from '../store/backends.ts';

// A webhook is a reader of the audit log: the member that chooses where its records go must be allowed to read them.

const READERS = OPERATIONS.listAuditRecords;
const HOOK = { name: 'hook', url: 'https://93.184.216.34/', ordered: false };
const MINE = `${HOOK.url}mine`;
const LEDGER = ['ledger.*'];

test.each(['replayWebhook', 'retryDelivery', 'listDeliveries', 'readDelivery'] as const)(
  '%s needs what reading the audit log needs',
  (operation: OperationId) => {
    const { scopes, roles } = OPERATIONS[operation];
    expect(scopes).toEqual(expect.arrayContaining([...READERS.scopes]));
    expect(READERS.roles).toEqual(expect.arrayContaining([...roles]));
  },
);

test('a session that may manage webhooks may read the audit log', () => {
  for (const role of OPERATIONS.createWebhook.roles) {
    expect(READERS.roles).toContain(role);
    expect(ROLES[role]).toEqual(expect.arrayContaining([...READERS.scopes]));
  }
});

describeStores('a token that may not read the audit log', (backend) => {
  const store = backend.shared();

  async function open() {
    const { deps, customer, asToken } = await openOperatorWorld(store());
    const as = async (...scopes: readonly Scope[]) => {
      const wanted = { accountId: customer, name: 't', scopes, expiresAtMs: undefined };
      return asToken(customer, (await createToken(deps, wanted, NOW_MS)).id, scopes);
    };
    return { manager: await as('webhooks:manage'), reader: await as('webhooks:manage', 'audit:read') };
  }

  const refused = { code: 'scopeMissing', context: { scope: 'audit:read' } };

  const CHOICES = [
    {},
    { events: [] },
    { events: ['wallet.*'] },
    { events: ['account.createkey'] },
    { events: ['w*'] },
    { events: ['*'] },
    { events: [...LEDGER, 'wallet.sign'] },
  ];

  test.each(CHOICES)('creates no webhook of %j', async (choice) => {
    const { manager, reader } = await open();
    const body = { ...HOOK, ...choice };
    await expect(manager('createWebhook', { body })).rejects.toMatchObject(refused);
    expect(await reader('createWebhook', { body })).toMatchObject({ events: [], ...choice });
  });

  test('neither changes a webhook that gets its records, nor turns one into it', async () => {
    const { manager, reader } = await open();
    const { webhook_id: id } = await reader('createWebhook', { body: HOOK });
    for (const body of [{ url: MINE }, { events: LEDGER }, { active: true }, { name: 'mine' }])
      await expect(manager('updateWebhook', { id, body })).rejects.toMatchObject(refused);
    await expect(manager('rotateWebhookSecret', { id, body: { overlap_seconds: 0 } })).rejects.toMatchObject(
      refused,
    );
    expect(await reader('rotateWebhookSecret', { id, body: { overlap_seconds: 0 } })).toMatchObject({
      secret: expect.any(String),
    });
    expect((await reader('listWebhooks')).webhooks).toMatchObject([{ ...HOOK, events: [] }]);

    const choice = { ...HOOK, events: LEDGER };
    const { webhook_id: own } = await manager('createWebhook', { body: choice });
    expect(await manager('updateWebhook', { id: own, body: { url: MINE } })).toMatchObject({
      url: MINE,
    });
    for (const events of [[], ['wallet.*']])
      await expect(manager('updateWebhook', { id: own, body: { events } })).rejects.toMatchObject(refused);
    expect(await reader('updateWebhook', { id: own, body: { events: [] } })).toMatchObject({ events: [] });
  });
});
