import { createRedisScript } from '../../base/redis-script.ts';

// Each script is one step of Redis: nothing happens between its checks and its writes. The keys: the head (a hash), the blocks (a stream
// whose ids are slots), their sizes (a list, the oldest first). A Redis whose memory is full refuses commands that need some, up to the first
// write of a script: a command that only frees memory comes first where that is possible.

/**
 * Begins a term: from now on no earlier one can write. The blocks go on where they end, or begin anew after the newest slot of the new
 * reader, if they are of another ledger or that slot is too far after their end.
 *
 * Arguments: term, genesis, newest slot, largest distance (below zero: begin anew), how long all is kept in milliseconds. Returns nothing when a later term has begun, else the slot
 * and the blockhash where they end, and their run.
 */
export const CLAIM = createRedisScript(`
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
 * Drops the oldest blocks that are too many with a new one, and appends that. Where Redis has no memory for it, half of the blocks make
 * room: others need some too. Blocks that Redis itself has dropped are not counted any more.
 *
 * Arguments: term, run, slot, blockhash, previous blockhash, finalized slot, packed block, its tag, most bytes, most blocks, how long all is
 * kept in milliseconds. Returns 'taken', which a repetition gets too, 'term' when another term or run has begun, or 'chain' when the block does not follow.
 */
export const APPEND = createRedisScript(`
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
