import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountClient, createAccountClient } from '../../generated/account/client.ts';
import { createStreamClient } from '../../generated/stream/client.ts';
import { findRecordFault } from '../../runtime/audit-chain.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';
import { openSocket } from '../support/socket-client.ts';
import { createToken } from '../support/wallet-account.ts';

let server: RunningKeyslot;
let owner: AccountClient;

beforeAll(async () => {
  server = await startKeyslot({
    env: { KEYSLOT_LOCALNET_SLOT_MS: '50', KEYSLOT_LOCALNET_EPHEMERAL: 'true' },
  });
  owner = createAccountClient({
    url: server.baseUrl,
    token: (await createToken(server.dataDir, 'acme')).token,
  });
});
afterAll(() => server?.stop());

const JSON_TYPE = { 'content-type': 'application/json' };

/** The HTTP status of a body that is sent with a key, and the codes of the errors in the answer. */
async function answerTo(apiKey: string, body: string): Promise<readonly unknown[]> {
  const address = server.rpcUrl.replace(/apikey=.*/, `apikey=${apiKey}`);
  const response = await fetch(address, { method: 'POST', headers: JSON_TYPE, body });
  const answer = (await response.json()) as { error?: { code: number } } | { error?: { code: number } }[];
  return [response.status, ...[answer].flat().map(({ error }) => error?.code)];
}

const call = (method: string, id = 1): string => JSON.stringify({ jsonrpc: '2.0', id, method });

test('no spelling of a method, and no way to wrap a call, passes what its key does not allow', async () => {
  const { api_key } = await owner.createKey({ name: 'reads', allowed_methods: ['getSlot'] });
  expect(await answerTo(api_key, call('getSlot'))).toEqual([200, undefined]);
  for (const method of [
    'getHealth',
    'sendTransaction',
    'rpc.discover',
    'localnet_trace',
    'GETSLOT',
    'getSlot ',
  ])
    expect(await answerTo(api_key, call(method))).toEqual([403, -32067]);
  expect(await answerTo(api_key, call('getHealth').replace('getH', 'get\\u0048'))).toEqual([403, -32067]);
  const twice = '{"jsonrpc":"2.0","id":1,"method":"getSlot","method":"getHealth"}';
  expect(await answerTo(api_key, twice)).toEqual([200, -32600]);
  const batch = `[${call('getHealth')},${call('getSlot', 2)},${call('getVersion', 3)}]`;
  expect(await answerTo(api_key, batch)).toEqual([200, -32067, undefined, -32067]);
});

test('a key changes no key, not even itself, whatever it is sent as', async () => {
  const { api_key, key_id } = await owner.createKey({ name: 'self', allowed_methods: ['getSlot'] });
  const body = JSON.stringify({ allowed_methods: [] });
  for (const [headers, query] of [
    [{ authorization: `Bearer ${api_key}` }, ''],
    [{ 'x-api-key': api_key }, ''],
    [{}, `?apikey=${api_key}`],
    [{ cookie: `keyslot_session=${api_key}` }, ''],
  ] as const) {
    const address = `${server.baseUrl}/account/v1/keys/${key_id}${query}`;
    const response = await fetch(address, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
    expect(response.status).toBe(401);
  }
  expect(await answerTo(api_key, call('getHealth'))).toEqual([403, -32067]);
  const other = createAccountClient({
    url: server.baseUrl,
    token: (await createToken(server.dataDir, 'other')).token,
  });
  await expect(other.updateKey(key_id, { allowed_methods: [] })).rejects.toThrow(/no API key with the id/);
});

test('a limit goes over to the key that replaces it, and none can be above that of the plan', async () => {
  const made = await owner.createKey({ name: 'day', requests_per_day: 2, allowed_methods: ['read'] });
  const next = await owner.rotateKey(made.key_id, { overlap_seconds: 0 });
  expect(await answerTo(next.api_key, call('sendTransaction'))).toEqual([403, -32067]);
  expect(await answerTo(next.api_key, call('getSlot'))).toEqual([200, undefined]);
  expect(await answerTo(next.api_key, call('getSlot'))).toEqual([429, -32070]);
  await expect(owner.updateKey(next.key_id, { requests_per_second: 101 })).rejects.toMatchObject({
    failure: { problem: { errors: [{ pointer: '/requests_per_second', limit: 100, value: 101 }] } },
  });
});

test('what is open ends within a second when its key allows it no more, and the record says what was changed', async () => {
  const { api_key, key_id } = await owner.createKey({ name: 'open' });
  const socket = await openSocket(
    server.rpcUrl.replace(/^http/, 'ws').replace(/apikey=.*/, `apikey=${api_key}`),
  );
  await socket.call('slotSubscribe');
  const streams = createStreamClient({ url: server.grpcUrl, apiKey: api_key });
  const started = Promise.withResolvers<void>();
  const ended = (async () => {
    for await (const _slot of streams.subscribe('slots')) started.resolve();
  })();
  const outcome = ended.catch((error: unknown) => String(error));
  await started.promise;
  const { changes } = await owner.updateKey(key_id, { allowed_methods: ['read', 'slotSubscribe'] });
  using since = startBusyMachineClock();
  expect(changes).toEqual([{ member: 'allowed_methods', before: 'any', after: 'read, slotSubscribe' }]);
  expect(await outcome).toContain('not allowed to call Subscribe.slots');
  expect((await socket.call('getSlot')).error).toBeUndefined();
  await owner.updateKey(key_id, { allowed_methods: ['read'] });
  expect(await socket.closed).toEqual({
    code: 4005,
    reason: 'API key not allowed to call slotSubscribe',
  });
  expect(since.elapsedMs()).toBeLessThan(2_000);
  streams.close();

  const { records } = await owner.listAuditChain({ from_seq: 1, limit: 1000 });
  const record = await eventually('the record', () =>
    records.findLast(({ action }) => action === 'updatekey'),
  );
  expect(record).toMatchObject({
    subject: key_id,
    changes: [{ member: 'allowed_methods', before: 'read, slotSubscribe', after: 'read' }],
  });
  expect(JSON.stringify(records)).not.toContain(api_key.slice(11));
  const digest = (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.digest('SHA-256', bytes);
  const place = { seq: 0, hash: '0'.repeat(64), accountId: record.account_id };
  expect(await findRecordFault({ digest }, records, place)).toBeUndefined();
});
