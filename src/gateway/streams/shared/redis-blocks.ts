import { type KeyObject, createHmac, timingSafeEqual } from 'node:crypto';
import type { RESP_TYPES } from '@redis/client';
import { openRedisLink, type RedisClient, type RedisLinkOptions } from '../../../core/redis/redis-link.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Block } from '../block/block.ts';
import { readBlockReply } from '../ledger-node.ts';
import { packBlock, unpackBlock } from './pack-block.ts';
import type { SharedBlock, SharedBlocks, SharedReader } from './shared-blocks.ts';
import { createRedisScript } from '../../../core/redis/redis-script.ts';

export type RedisBlocksOptions = Pick<RedisLinkOptions, 'url' | 'onUp' | 'onLost'> & {
  /** The prefix of all Redis keys. */
  readonly prefix: string;
  /** Most bytes of the packed blocks of a network; the newest block stays whatever its size. */
  readonly maxBytes: number;
  /** Most bytes of a block in the node's reply. */
  readonly maxBlockBytes: number;
  /** The key of the installation: blocks that are not signed with it are ignored. */
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
/** Blocks are kept this long after the last one was appended. */
const KEEP_MS = 3_600_000;
/** Blocks are large. */
const ANSWER_MS = 2_000;
const BLOCKS_AT_ONCE = 8;

const BLOB_STRING: typeof RESP_TYPES.BLOB_STRING = 36;
const BUFFERS = { [BLOB_STRING]: Buffer } as const;

/** Opens blocks in Redis. An answer that takes longer than 2 s is lost, and so is Redis until it answers again. */
export function openRedisBlocks({ prefix, ...options }: RedisBlocksOptions): RedisBlocks {
  const { isUp, ask, close } = openRedisLink({ ...options, answerMs: ANSWER_MS });
  const of = (network: string): SharedBlocks => {
    const name = `${prefix}topics:{${network}}`;
    const [head, blocks] = [`${name}:head`, `${name}:blocks`];
    const keys = [head, blocks, `${name}:sizes`];
    const blockOf = (entry: Entry): SharedBlock => toBlock(entry, network, options);
    /** The run of the last claim. The script compares it. */
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

/** The metadata of a shared block, and the packed block itself. */
type SignedBlock = {
  readonly network: string;
  readonly run: string;
  readonly slot: bigint;
  readonly finalizedSlot: bigint;
  readonly blockhash: string;
  readonly packed: Buffer;
};

/** Returns the tag of a block: an HMAC-SHA256 under a key that the gateways of an installation share, 32 bytes. */
function tagOf(key: KeyObject, block: SignedBlock): Buffer {
  const { network, run, slot, finalizedSlot, blockhash, packed } = block;
  const said = JSON.stringify([network, run, String(slot), String(finalizedSlot), blockhash]);
  return createHmac('sha256', key).update(said).update(packed).digest();
}

/** True if a gateway of this installation made the tag for this block. Takes constant time for each tag of 32 bytes. */
function isTagOf(key: KeyObject, block: SignedBlock, tag: Buffer): boolean {
  const expected = tagOf(key, block);
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}

// Each script is atomic in Redis. Its keys: the head (a hash), the blocks (a stream whose ids are slots), their sizes (a list, the oldest
// first). A Redis that is out of memory refuses commands that need some until the first write of a script, so a command that only frees
// memory comes first where possible.

/**
 * Begins a term: earlier terms can no longer write. The blocks continue where they end, or start over after the newest slot of the new
 * reader if they belong to another ledger or end too far behind that slot.
 *
 * Arguments: term, genesis, newest slot, largest distance (below zero: start over), time to live in milliseconds. Returns nothing if a
 * later term has begun, else the slot and the blockhash where they end, and their run.
 */
const CLAIM = createRedisScript(`
local head, blocks, sizes = KEYS[1], KEYS[2], KEYS[3]
local term, genesis, newest, reach = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local known = redis.call('HMGET', head, 'term', 'genesis', 'slot', 'hash', 'run')
if known[1] and tonumber(known[1]) > tonumber(term) then return {} end
local continues = reach >= 0 and known[2] == genesis and tonumber(newest) - tonumber(known[3]) <= reach
if continues then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[5]) end
  redis.call('HSET', head, 'term', term)
  return { known[3], known[4], known[5] }
end
local run = term .. '-' .. newest
redis.call('DEL', blocks, sizes)
redis.call('HSET', head, 'term', term, 'run', run, 'genesis', genesis, 'slot', newest, 'hash', '', 'base', newest, 'bytes', 0)
redis.call('PEXPIRE', head, ARGV[5])
return { newest, '', run }
`);

/**
 * Appends a new block, and drops the oldest ones beyond the limits. If Redis is out of memory, half of the blocks are dropped. Blocks
 * that Redis itself has evicted no longer count.
 *
 * Arguments: term, run, slot, blockhash, previous blockhash, finalized slot, packed block, its tag, most bytes, most blocks, time to live
 * in milliseconds. Returns 'taken' (also for a repetition), 'term' if another term or run has begun, or 'chain' for a block that does not
 * follow.
 */
const APPEND = createRedisScript(`
local head, blocks, sizes = KEYS[1], KEYS[2], KEYS[3]
local term, run, slot, hash, previous, final, packed, tag = unpack(ARGV, 1, 8)
local most_bytes, most_blocks, keep_ms = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11]
local known = redis.call('HMGET', head, 'term', 'slot', 'hash', 'run', 'bytes')
local bytes = tonumber(known[5] or 0)
if known[1] ~= term or known[4] ~= run then return 'term' end
if known[2] == slot and known[3] == hash then return 'taken' end
if tonumber(slot) <= tonumber(known[2]) or (known[3] ~= '' and known[3] ~= previous) then return 'chain' end
if redis.call('EXISTS', blocks, sizes) < 2 then
  redis.call('DEL', blocks, sizes)
  redis.call('HSET', head, 'base', known[2], 'bytes', 0)
  bytes = 0
end
local count = redis.call('LLEN', sizes)
local base
local function drop_oldest()
  local oldest, size = string.match(redis.call('LPOP', sizes), '(%d+) (%d+)')
  redis.call('XDEL', blocks, oldest .. '-0')
  base, bytes, count = oldest, bytes - size, count - 1
end
while count > 0 and (bytes + #packed > most_bytes or count >= most_blocks) do drop_oldest() end
local function add()
  return redis.pcall('XADD', blocks, slot .. '-0', 'run', run, 'final', final, 'hash', hash, 'tag', tag, 'block', packed)
end
local added = add()
if type(added) == 'table' and added.err and string.find(added.err, 'OOM', 1, true) and count > 0 then
  local half = math.floor(count / 2)
  while count > half do drop_oldest() end
  added = add()
end
if base then redis.call('HSET', head, 'base', base, 'bytes', bytes) end
if type(added) == 'table' and added.err then return added end
redis.call('RPUSH', sizes, slot .. ' ' .. #packed)
redis.call('HSET', head, 'slot', slot, 'hash', hash, 'bytes', bytes + #packed)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep_ms) end
return 'taken'
`);
