import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import pino from 'pino';
import type { ServiceError } from '../../../../src/core/service-error.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import type { Block } from '../../../../src/gateway/streams/block/block.ts';
import { createHub, type Hub } from '../../../../src/gateway/streams/hub.ts';
import { createReaderTerms, type ReaderTerms } from '../../../../src/gateway/streams/shared/reader-terms.ts';
import {
  openRedisBlocks,
  type RedisBlocksOptions,
} from '../../../../src/gateway/streams/shared/redis-blocks.ts';
import { shareBlocks, type SharedNetwork } from '../../../../src/gateway/streams/shared/share-blocks.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../../support/postgres.ts';
import { findRedis, REDIS_MISSING } from '../../../support/redis.ts';
import { streamPace } from '../../../support/stream-pace.ts';
import { replyOf } from '../reply-of.ts';
import type { ScriptedLedger } from '../scripted-ledger.ts';

const [postgresUrl, redisUrl] = [await findPostgres(), await findRedis()];

/** Why blocks are not shared in tests; undefined: they are. */
export const SHARING_MISSING =
  postgresUrl === undefined ? POSTGRES_MISSING : redisUrl === undefined ? REDIS_MISSING : undefined;

export const REDIS_URL = redisUrl ?? '';
export const NETWORK = 'solana-localnet';
/** That of the installation. */
export const KEY = createSecretKey(Buffer.alloc(32, 7));

/** A store in a database of its own. */
export async function openOwnStore() {
  const database = await createDatabase(postgresUrl ?? '');
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-topics-'));
  const store = await openStore({ dataDir, databaseUrl: database.url }, pino({ level: 'silent' }));
  const remove = async (): Promise<void> => {
    await store.close();
    await database.drop();
    await rm(dataDir, { recursive: true });
  };
  return { store, remove };
}

/** The parts of a gateway that share the blocks of a network. */
export type TopicGateway = {
  readonly hub: Hub;
  readonly shared: SharedNetwork;
  readonly isUp: () => boolean;
  /** Blocks that it asked its node for. */
  readonly asked: () => number;
  /** The logged errors of its nodes and of shared blocks. */
  readonly failures: readonly ServiceError[];
  /** True: it cannot reach the store. */
  isCutOff: boolean;
  readonly close: () => Promise<void>;
};

export type TopicGatewayOptions = {
  readonly ledger: ScriptedLedger;
  readonly store: Parameters<typeof createReaderTerms>[0];
  readonly prefix: string;
  readonly url?: string;
  readonly key?: KeyObject;
  /** Default 60,000: only a reader that is lost for good makes the other one read, however slow the machine is. */
  readonly stallMs?: number;
  /** Default 60,000, for the same reason. */
  readonly failingMs?: number;
  /** Default 60,000, too. */
  readonly leastTermMs?: number;
};

export const termsOf = (store: TopicGatewayOptions['store']): ReaderTerms =>
  createReaderTerms(store, randomUUID());

export const openBlocks = (options: Pick<RedisBlocksOptions, 'prefix'> & Partial<RedisBlocksOptions>) =>
  openRedisBlocks({
    url: REDIS_URL,
    maxBytes: 10 ** 8,
    maxBlockBytes: 10 ** 6,
    key: KEY,
    onUp: () => undefined,
    onLost: () => undefined,
    ...options,
  });

export function openGateway({
  ledger,
  store,
  prefix,
  url = REDIS_URL,
  key = KEY,
  stallMs = 60_000,
  failingMs = 60_000,
  leastTermMs = 60_000,
}: TopicGatewayOptions) {
  let asked = 0;
  const failures: ServiceError[] = [];
  const redis = openBlocks({ prefix, url, key });
  const nodeWith = (onReply: (block: Block, reply: Buffer) => void): ScriptedLedger => ({
    ...ledger,
    block: async (...given) => {
      asked++;
      const block = await ledger.block(...given);
      onReply(block, replyOf(block));
      return block;
    },
  });
  const reach = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (gateway.isCutOff) throw new Error('the store cannot be reached');
    return await ask();
  };
  const shared = shareBlocks({
    network: NETWORK,
    blocks: redis.of(NETWORK),
    reachSlots: () => 150,
    openNode: nodeWith,
    stallMs,
    failingMs,
    leastTermMs,
    shownSlot: () => BigInt(Math.max(...ledger.slots())),
    createTerms: () => {
      const terms = termsOf(store);
      return {
        hold: (...given) => reach(() => terms.hold(...given)),
        leave: (network, term) => reach(() => terms.leave(network, term)),
      };
    },
  });
  const hub = createHub({
    node: nodeWith(() => undefined),
    lingerMs: 60_000,
    pace: streamPace({ pollMs: 20 }),
    history: { maxSlots: 1_000, maxBytes: 10 ** 9 },
    generation: () => 0,
    onFailure: (error) => void failures.push(error),
    shared,
  });
  const gateway: TopicGateway = {
    hub,
    shared,
    isUp: redis.isUp,
    isCutOff: false,
    asked: () => asked,
    failures,
    close: async () => {
      hub.close();
      await shared.ended();
      await redis.close();
    },
  };
  return gateway;
}

/** Removes what a test has left in Redis. */
export async function forget(prefix: string): Promise<void> {
  const client = createClient({ url: REDIS_URL });
  await client.connect();
  const keys = await client.keys(`${prefix}*`);
  if (keys.length > 0) await client.del(keys);
  client.destroy();
}
