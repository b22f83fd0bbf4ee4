import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountClient } from '../../../generated/account/client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { openSocket } from '../../support/socket-client.ts';

let server: RunningKeyslot;

beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '50' } });
});
afterAll(() => server.stop());

test('each key has the notifications that were handed to its connections, and no others', async () => {
  const { access_token: token } = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
  };
  const account = createAccountClient({ url: server.baseUrl, token });
  const { api_key: other, key_id: otherId } = await account.createKey({ name: 'other' });
  const address = server.rpcUrl.replace(/^http/, 'ws');
  const clients = [await openSocket(address), await openSocket(address.replace(server.apiKey, other))];
  const [first, second] = clients;
  for (const client of clients) await client.call('slotSubscribe');
  const taken = async (client: typeof first, count: number): Promise<void> => {
    for (let got = 0; got < count; ) if ((await client?.next())?.method === 'slotNotification') got += 1;
  };
  await Promise.all([taken(first, 10), taken(second, 5)]);
  for (const client of clients) client.close();
  const closed = await Promise.all(clients.map((client) => client.closed));
  expect(closed).toHaveLength(2);
  const received = clients.map(
    ({ texts }) => texts.filter((text) => text.includes('"slotNotification"')).length,
  );
  const countsOf = async (): Promise<readonly number[]> => {
    const { rows } = await account.getUsage({ by: 'key' });
    const isOther = ({ group }: { readonly group: string }): boolean => group === otherId;
    return [rows.find((row) => !isOther(row))?.messages ?? 0, rows.find(isOther)?.messages ?? 0];
  };
  const [ofFirst = 0, ofOther = 0] = await eventually('all that came is counted', async () => {
    const counts = await countsOf();
    return counts.every((count, index) => count >= (received[index] ?? 0)) ? counts : undefined;
  });
  // Notifications under way when a client closed may not have come.
  expect([ofFirst - (received[0] ?? 0), ofOther - (received[1] ?? 0)].every((more) => more <= 3)).toBe(true);
  const { rows: methods } = await account.getUsage({ by: 'method' });
  expect(methods.find(({ group }) => group === 'slotSubscribe')).toMatchObject({
    calls: 2,
    messages: ofFirst + ofOther,
  });
});
