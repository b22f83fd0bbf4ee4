import { createSecretKey } from 'node:crypto';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { createSharedTopicsMetrics } from '../../src/gateway/streams/shared/shared-topics-metrics.ts';
import { shareTopics } from '../../src/serve/share-topics.ts';
import type { Network } from '../../src/serve/start-network.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { streamPace } from '../support/stream-pace.ts';
import { SILENT } from '../store/backends.ts';

const NO_STORE = {
  get db(): never {
    throw new Error('nothing is stored before somebody reads');
  },
};

async function share(env: Readonly<Record<string, string>>) {
  const url = `redis://127.0.0.1:${await freePortPair()}`;
  const all = { KEYSLOT_DATABASE_URL: 'postgres://127.0.0.1/none', KEYSLOT_REDIS_URL: url, ...env };
  const config = loadConfig({ file: undefined, env: all, cli: {} });
  const metrics = createSharedTopicsMetrics(new Registry());
  return shareTopics({ config, store: NO_STORE, installationKey, metrics, log: SILENT });
}

const installationKey = { path: '', derive: () => createSecretKey(Buffer.alloc(32, 7)) };

const network = (child: Network['child']) => ({ label: 'solana-localnet', child }) as Network;

test('with KEYSLOT_REDIS_TOPICS=shared blocks are shared, except those of an embedded ledger', async () => {
  const topics = await share({ KEYSLOT_REDIS_TOPICS: 'shared' });
  expect(topics?.share(network({ state: 'ready', restarts: 0 }), streamPace())).toBeUndefined();
  expect(topics?.standings()).toEqual([]);
  const shared = topics?.share(network(undefined), streamPace());
  expect(shared).toBeDefined();
  expect(topics?.standings()).toEqual([{ network: 'solana-localnet', source: 'idle', isReader: false }]);
  await topics?.close();
});

test('by default each gateway is left to its own nodes, with Redis too: it is not filled', async () => {
  expect(await share({})).toBeUndefined();
});
