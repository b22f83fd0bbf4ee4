import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAccountClient } from '../../generated/account/client.ts';
import { createDatabase } from '../support/postgres.ts';
import { uniquePrefix } from '../support/redis.ts';
import { type OperatedGateway, startOperatedGateway } from './operated-gateway.ts';
import type { RunningTarget } from './targets.ts';
import { addEvents, isFailing, startDownReceiver } from './waiting-events.ts';
import { newAccount } from './wallet-latency.ts';

/** The parts of a feature. */
type Part =
  | 'own reads'
  | 'cache'
  | 'drift'
  | 'nodes'
  | 'hedge'
  | 'tracing'
  | 'store'
  | 'redis'
  | 'topics'
  | 'events';

export type Feature = { readonly name: string; readonly parts: readonly Part[] };

/** Everything that can be turned off is off. */
export const PLAIN: Feature = { name: 'plain', parts: [] };

/** Each feature alone, with what it requires. */
export const FEATURES: readonly Feature[] = [
  { name: 'readers see what they have seen', parts: ['own reads'] },
  { name: 'cache', parts: ['cache'] },
  { name: 'answers held against the specification, 20 a minute', parts: ['drift'] },
  { name: 'three nodes', parts: ['nodes'] },
  { name: 'three nodes, readers see what they have seen', parts: ['nodes', 'own reads'] },
  { name: 'three nodes, at most 5 of 100 reads hedged', parts: ['nodes', 'hedge'] },
  { name: 'traces of 1 % of the requests', parts: ['tracing'] },
  { name: 'PostgreSQL', parts: ['store'] },
  { name: 'PostgreSQL, limits merged through Redis', parts: ['store', 'redis'] },
  {
    name: 'PostgreSQL, Redis, gateways told what readers have seen',
    parts: ['store', 'redis', 'own reads'],
  },
  { name: 'PostgreSQL, Redis, topics shared', parts: ['store', 'redis', 'topics'] },
  { name: 'PostgreSQL, 10,000 events waiting for a receiver that is down', parts: ['store', 'events'] },
];

export const EVERYTHING: Feature = {
  name: 'everything',
  parts: ['own reads', 'cache', 'drift', 'nodes', 'hedge', 'tracing', 'store', 'redis', 'topics', 'events'],
};

export type Places = {
  readonly nodeUrl: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
};

type Env = Readonly<Record<string, string>>;

const NODES = 3;
const WAITING_EVENTS = 10_000;
const OFF: Env = {
  KEYSLOT_UPSTREAM_OWN_READS: '0',
  KEYSLOT_CACHE_MAX_BYTES: '0',
  KEYSLOT_DRIFT_SAMPLES_PER_MINUTE: '0',
};

/** Starts a gateway with a feature; what it needs is stopped with it. */
export async function startWith({ name, parts }: Feature, places: Places): Promise<RunningTarget> {
  const started = new AsyncDisposableStack();
  const env: Record<string, string> = { ...OFF };
  const has = (part: Part): boolean => parts.includes(part);
  if (has('own reads')) env.KEYSLOT_UPSTREAM_OWN_READS = '1';
  if (has('cache')) delete env.KEYSLOT_CACHE_MAX_BYTES;
  if (has('drift')) delete env.KEYSLOT_DRIFT_SAMPLES_PER_MINUTE;
  if (has('hedge')) env.KEYSLOT_UPSTREAM_HEDGE_PERCENT = '5';
  if (has('topics')) env.KEYSLOT_REDIS_TOPICS = 'shared';
  if (has('redis'))
    Object.assign(env, { KEYSLOT_REDIS_URL: places.redisUrl, KEYSLOT_REDIS_PREFIX: uniquePrefix() });
  if (has('store')) env.KEYSLOT_DATABASE_URL = await startDatabase(places.postgresUrl, started);
  if (has('tracing')) env.KEYSLOT_TRACING_ENDPOINT = await startCollector(started);
  if (has('events')) env.KEYSLOT_WEBHOOKS_ALLOWED_TARGETS = '127.0.0.0/8';
  const upstreams = nodesAt(places.nodeUrl, has('nodes') ? NODES : 1);
  const gateway = await startOperatedGateway({ networks: [{ upstreams }] }, env);
  started.defer(gateway.stop);
  if (has('events')) await letEventsWait(gateway, env.KEYSLOT_DATABASE_URL ?? '', started);
  return { ...gateway, name, stop: () => started.disposeAsync() };
}

async function startDatabase(postgresUrl: string, started: AsyncDisposableStack): Promise<string> {
  const { url, drop } = await createDatabase(postgresUrl);
  started.defer(drop);
  return url;
}

/** Takes spans, and does nothing with them. */
async function startCollector(started: AsyncDisposableStack): Promise<string> {
  const collector = createServer((request, response) => {
    request.resume().once('end', () => response.end('{}'));
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  started.defer(() => collector.closeAllConnections());
  started.defer(() => void collector.close());
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
}

/** The same node by several addresses: to the gateway they are nodes with connections of their own. */
function nodesAt(nodeUrl: string, count: number): readonly { readonly url: string }[] {
  return Array.from({ length: count }, (_, index) => ({ url: `${nodeUrl}/${index}` }));
}

async function letEventsWait(
  { baseUrl, dataDir }: OperatedGateway,
  databaseUrl: string,
  started: AsyncDisposableStack,
): Promise<void> {
  const receiver = await startDownReceiver();
  started.defer(receiver.close);
  const { token } = await newAccount(dataDir, '1.00');
  const account = createAccountClient({ url: baseUrl, token });
  const { webhook_id: id } = await account.createWebhook({
    name: 'down',
    url: receiver.url,
    events: ['wallet.*'],
  });
  const { account_id: accountId } = await account.getAccount();
  await addEvents({ dataDir, databaseUrl }, accountId, WAITING_EVENTS);
  await isFailing(account, id);
}
