import { test } from 'vitest';
import { createAccountClient } from '../../generated/account/client.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startScriptedNode } from '../server/scripted-node.ts';
import { command, createToken } from '../support/wallet-account.ts';
import { call, createKey } from './customer.ts';
import { GATEWAYS_MISSING, startGateways } from './start-gateways.ts';

test('two gateways share the log of requests, and what is kept of params', async (context) => {
  if (GATEWAYS_MISSING !== undefined) return context.skip(GATEWAYS_MISSING);
  await using started = new AsyncDisposableStack();
  const node = await startScriptedNode();
  started.defer(node.close);
  const gateways = await startGateways({ upstreamUrl: node.url });
  started.defer(gateways.remove);
  const { one, other } = gateways;
  const { id, key } = await createKey(gateways, 'acme');
  const { token } = await createToken(one.dataDir, 'acme', { scopes: ['account:read'] });
  const clients = [one, other].map(({ baseUrl }) => createAccountClient({ url: baseUrl, token }));
  await call(one, key, 'getBlockHeight');
  await call(other, key, 'getEpochInfo');
  for (const client of clients)
    await eventually('both have both', async () => {
      const { requests } = await client.listRequests({ caller_id: id }).catch(() => ({ requests: [] }));
      const methods = requests.map(({ method }) => method);
      return methods.includes('getBlockHeight') && methods.includes('getEpochInfo') ? true : undefined;
    });
  await command(one.dataDir, ['accounts', 'params', 'acme', '--on']);
  await eventually('the other keeps params', async () => {
    await call(other, key, 'getSlot', [{ commitment: 'confirmed' }]);
    const { requests } = (await clients[0]?.listRequests({ method: 'getSlot', limit: 1 })) ?? {
      requests: [],
    };
    return requests[0]?.params === undefined ? undefined : true;
  });
});
