import type { KeyObject } from 'node:crypto';
import { RESP_TYPES } from '@redis/client';
import { openRedisLink, type RedisClient, type RedisLinkOptions } from '../../base/redis-link.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Block } from '../block/block.ts';
import { readBlockReply } from '../ledger-node.ts';
import { APPEND, CLAIM } from './block-scripts.ts';
import { packBlock, unpackBlock } from './pack-block.ts';
import type { SharedBlock, SharedBlocks, SharedReader } from './shared-blocks.ts';
import { isTagOf, tagOf } from './sign-blocks.ts';

export type RedisBlocksOptions = Pick<RedisLinkOptions, 'url' | 'onUp' | 'onLost'> & {
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** Most bytes of the packed blocks of a network; the newest block stays whatever its size. */
  readonly maxBytes: number;
  /** Most bytes of a block as the node answers it. */
  readonly maxBlockBytes: number;
  /** Of the installation: blocks that were not signed with it are not read. */
  readonly key: KeyObject;
  /** Called with the packed reply of each block that is read. */
  readonly onBlock?: ((block: Block, packed: Buffer) => void) | undefined;
};

/** Blocks in Redis. They are connected in the background, as long and as often as needed. */
export type RedisBlocks = {
  readonly isUp: () => boolean;
  readonly of: (network: string) => SharedBlocks;
  readonly close: () => Promise<void>;
};

/** An hour of the fastest networks. */
const MAX_BLOCKS = 20_000;
/** Blocks of which no more are read are kept this long. */
const KEEP_MS = 3_600_000;
/** Blocks are large. */
const ANSWER_MS = 2_000;
const BLOCKS_AT_ONCE = 8;

const BUFFERS = { [RESP_TYPES.BLOB_STRING]: Buffer } as const;

/** Opens blocks in Redis. An answer that takes longer than 2 s is lost, and so is Redis until it answers again. */
export function openRedisBlocks({ prefix, ...options }: RedisBlocksOptions): RedisBlocks {
  const { isUp, ask, close } = openRedisLink({ ...options, answerMs: ANSWER_MS });
  const of = (network: string): SharedBlocks => {
    const name = `${prefix}topics:{${network}}`;
    const [head, blocks] = [`${name}:head`, `${name}:blocks`];
    const keys = [head, blocks, `${name}:sizes`];
    const blockOf = (entry: Entry): SharedBlock => toBlock(entry, network, options);
    /** That of the last claim. The script compares it. */
    let run = '';
    return {
      isUp,
      head: async () => {
        const names = ['run', 'genesis', 'base', 'slot'];
        const [run, genesis, base, slot] = await ask((client) => client.hmGet(head, names));
        if (!run || !genesis || !base || !slot) return undefined;
        return { run, genesis, base: BigInt(base), slot: BigInt(slot) };
      },
      claim: async ({ term, genesis, newestSlot, reachSlots }) => {
        const given = [term, genesis, newestSlot, reachSlots, KEEP_MS].map(String);
        const found = (await ask((client) => CLAIM(client, { keys, arguments: given }))) as readonly string[];
        const [slot, blockhash, claimed] = found;
        if (slot === undefined || claimed === undefined) return undefined;
        run = claimed;
        return { slot: BigInt(slot), blockhash: blockhash === '' ? undefined : blockhash };
      },
      append: async ({ term, block, reply }) => {
        const { slot, blockhash, previousBlockhash, rootSlot } = block;
        const ofRun = run;
        const packed = await packBlock(reply);
        const signed = { network, run: ofRun, slot, finalizedSlot: rootSlot, blockhash, packed };
        const ofBlock = [term, ofRun, slot, blockhash, previousBlockhash, rootSlot].map(String);
        const bounds = [options.maxBytes, MAX_BLOCKS, KEEP_MS].map(String);
        const given = [...ofBlock, packed, tagOf(options.key, signed), ...bounds];
        return (await ask((client) => APPEND(client, { keys, arguments: given }))) as
          | 'taken'
          | 'term'
          | 'chain';
      },
      firstAfter: async (slot) => {
        const from = `${slot + 1n}-0`;
        const found = await ask((client) => binary(client).xRange(blocks, from, '+', { COUNT: 1 }));
        return found?.[0] && blockOf(found[0]);
      },
      openReader: () => openReader(options.url, blocks, blockOf),
    };
  };
  return { isUp, of, close };
}

function openReader(url: string, key: string, blockOf: (entry: Entry) => SharedBlock): SharedReader {
  const { isUp, ask, close } = openRedisLink({ url, onUp: ignore, onLost: ignore, answerMs: ANSWER_MS });
  return {
    isUp,
    read: async (slot, waitMs) => {
      const since = { key, id: `${slot}-0` };
      const wait = { BLOCK: Math.min(Math.max(1, Math.ceil(waitMs)), ANSWER_MS / 2), COUNT: BLOCKS_AT_ONCE };
      const found = (await ask((client) => binary(client).xRead([since], wait))) as Found | null;
      return (found?.[0]?.messages ?? []).map(blockOf);
    },
    close,
  };
}

type Entry = { readonly id: Buffer; readonly message: Readonly<Record<string, Buffer>> };
type Found = readonly { readonly messages: readonly Entry[] }[];

const binary = (client: RedisClient) => client.withTypeMapping(BUFFERS);

function toBlock(
  { id, message }: Entry,
  network: string,
  { key, maxBlockBytes, onBlock }: Pick<RedisBlocksOptions, 'key' | 'maxBlockBytes' | 'onBlock'>,
): SharedBlock {
  const { run = '', hash = '', final = '0', block: packed = NOTHING, tag = NOTHING } = message;
  const slot = BigInt(id.toString('latin1').split('-', 1)[0] ?? '');
  const finalizedSlot = BigInt(String(final));
  const said = { slot, finalizedSlot, run: String(run), blockhash: String(hash) };
  return {
    ...said,
    read: async () => {
      // Others may be able to write to Redis.
      if (!isTagOf(key, { network, ...said, packed }, tag)) {
        const reason = `the block of slot ${slot} in Redis is not signed by this installation`;
        throw serviceError('upstreamBroken', {}, new Error(reason));
      }
      const reply = await unpackBlock(packed, maxBlockBytes).catch((error: unknown) => {
        throw serviceError('upstreamBroken', {}, error);
      });
      const block = readBlockReply(reply, { slot, finalizedSlot });
      onBlock?.(block, packed);
      return block;
    },
  };
}

const NOTHING = Buffer.alloc(0);

const ignore = (): void => undefined;
