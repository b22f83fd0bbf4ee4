import { fork } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventually } from '../../src/core/eventually.ts';
import type { Cursor } from '../../src/gateway/streams/cursor.ts';
import { createHub, type HubOptions } from '../../src/gateway/streams/hub.ts';
import { createLedgerNode } from '../../src/gateway/streams/ledger-node.ts';
import { openRedisBlocks } from '../../src/gateway/streams/shared/redis-blocks.ts';
import { keepSegments } from '../../src/gateway/streams/segments/keep-segments.ts';
import { shareBlocks } from '../../src/gateway/streams/shared/share-blocks.ts';
import { connectNode, wrapUpstream } from '../../src/gateway/nodes/open-upstream.ts';
import { findRedis, uniquePrefix } from '../support/redis.ts';
import { streamPace } from '../support/stream-pace.ts';

// Measures how fast blocks come to a stream: from a node, from another gateway as they are read, and again from Redis and from files. See
// README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    blocks: { type: 'string', default: '200' },
    transactions: { type: 'string', default: '500' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const [rounds, count] = [Number(values.rounds), Number(values.blocks)];
const [busy = 0] = loadavg();
const url = await findRedis();
if (url === undefined) throw new Error('the bench of topics needs Redis');

const child = fork(new URL('serve-topics-node.ts', import.meta.url), [values.transactions]);
const [{ port, bytes }] = (await once(child, 'message')) as [
  { readonly port: number; readonly bytes: number },
];
const grow = async (blocks: number): Promise<void> => {
  const grown = once(child, 'message');
  child.send(blocks);
  await grown;
};
const upstream = wrapUpstream(
  connectNode(`http://127.0.0.1:${port}`, { connections: 8, connectTimeoutMs: 2_000, bodyTimeoutMs: 10_000 }),
  { responseTimeoutMs: 10_000, onRetry: () => undefined },
);
const MAX_BLOCK_BYTES = 2 ** 26;
const prefix = uniquePrefix();
/** Nobody else wants to read. */
const createTerms = () => ({
  hold: async () => ({ number: 1, untilMs: Number.POSITIVE_INFINITY }),
  leave: async () => undefined,
});

const pace = streamPace({ pollMs: 5, maxLagSlots: 10 ** 6, maxResumeSlots: 10 ** 6 });
const log = { info: () => undefined, warn: (said: unknown) => console.error(said) };

/** Files of blocks, and a hub that keeps its own in them. */
function openFiles(root: string, withFiles: boolean) {
  const segments = keepSegments({ root, maxBytes: 10 ** 10, maxBlockBytes: MAX_BLOCK_BYTES, log });
  const onReply = withFiles ? segments.bytes.noteReply : undefined;
  const node = createLedgerNode(upstream, MAX_BLOCK_BYTES, onReply);
  const history = segments.of('solana-bench', { node, pace, kept: undefined });
  return { segments, node, history: withFiles ? history : undefined };
}

/** A gateway of its own: what it has in memory is at most `maxSlots` blocks. With a directory it keeps blocks in files there. */
async function openGateway(isShared: boolean, root?: string) {
  const { segments, node, history } = openFiles(root ?? '', root !== undefined);
  const redis = openRedisBlocks({
    url: url ?? '',
    prefix,
    maxBytes: 2 ** 31,
    maxBlockBytes: MAX_BLOCK_BYTES,
    key: createSecretKey(Buffer.alloc(32, 7)),
    onUp: () => undefined,
    onLost: (reason: string) => console.error(reason),
  });
  await eventually('Redis is there', () => redis.isUp() || undefined, { intervalMs: 5 });
  const shared = shareBlocks({
    network: 'solana-bench',
    blocks: redis.of('solana-bench'),
    createTerms,
    reachSlots: () => 10 ** 6,
    openNode: (onReply) => createLedgerNode(upstream, MAX_BLOCK_BYTES, onReply),
    shownSlot: () => undefined,
  });
  const options: HubOptions = {
    node,
    pace,
    segments: history,
    lingerMs: 0,
    generation: () => 0,
    history: { maxSlots: 10 ** 5, maxBytes: 2 ** 33 },
    onFailure: (error) => console.error(error),
  };
  const hub = createHub(isShared ? { ...options, shared } : options);
  return {
    hub,
    settled: async () => history?.settled(),
    close: async () => {
      hub.close();
      await segments.close();
      await shared.ended();
      await redis.close();
    },
  };
}

/** Blocks a second that a stream of transactions takes. */
async function measure(cursor: Cursor): Promise<number> {
  const startMs = performance.now();
  for (let at = 0; at < count; at++) {
    const entry = await cursor.next();
    await entry.messages({ topic: 'transactions', format: 0, view: undefined });
    cursor.done(entry);
  }
  return (1_000 * count) / (performance.now() - startMs);
}

async function measureLive(isShared: boolean, root?: string) {
  const gateway = await openGateway(isShared, root);
  const cursor = await gateway.hub.open(undefined);
  const { position } = cursor;
  await grow(1);
  cursor.done(await cursor.next());
  await grow(count);
  const rate = await measure(cursor);
  await gateway.settled();
  return { rate, position, close: gateway.close };
}

const results: {
  readonly own: number;
  readonly live: number;
  readonly replay: number;
  readonly refill: number;
  readonly kept: number;
  readonly files: number;
}[] = [];
for (let round = 0; round < rounds; round++) {
  const own = await measureLive(false);
  await own.close();
  const live = await measureLive(true);
  const again = await openGateway(true);
  const replay = await measure(await again.hub.open(live.position + 1n));
  await again.close();
  await live.close();
  const alone = await openGateway(false);
  const refill = await measure(await alone.hub.open(live.position + 1n));
  await alone.close();
  const root = await mkdtemp(join(tmpdir(), 'keyslot-bench-topics-'));
  const keeping = await measureLive(false, root);
  await keeping.close();
  // Blocks that were not final when they were written are followed by the next ones.
  const reading = await openGateway(false, root);
  const joining = await reading.hub.open(undefined);
  await grow(1);
  joining.done(await joining.next());
  await reading.settled();
  const files = await measure(
    await reading.hub.open(keeping.position + 1n, async () => {
      throw new Error('a block was asked of the node');
    }),
  );
  await reading.close();
  await rm(root, { recursive: true });
  results.push({ own: own.rate, live: live.rate, replay, refill, kept: keeping.rate, files });
}
const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
const middle = (pick: (result: (typeof results)[number]) => number): number => median(results.map(pick));
const row = (name: string, rate: number): string =>
  `| ${name} | ${rate.toFixed(0)} | ${(rate / middle(({ live }) => live)).toFixed(2)} |`;
const text = `# Results of the topics bench

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; medians of ${rounds} rounds of ${count} blocks of ${(bytes / 1_000).toFixed(0)} kB with ${values.transactions} transactions. The load average of the machine was ${busy.toFixed(1)} before.

| blocks come | blocks/s | of the live rate |
|---|---:|---:|
| from the node, without sharing | ${middle(({ own }) => own).toFixed(0)} | ${(middle(({ own }) => own) / middle(({ live }) => live)).toFixed(2)} |
| live, through Redis (reader and stream in one process) | ${middle(({ live }) => live).toFixed(0)} | 1.00 |
${row(
  'again, from Redis',
  middle(({ replay }) => replay),
)}
${row(
  'again, from the node',
  middle(({ refill }) => refill),
)}
${row(
  'from the node, without sharing, kept in files',
  middle(({ kept }) => kept),
)}
${row(
  'again, from files',
  middle(({ files }) => files),
)}

Again from files, of the rate at which they were kept: ${(middle(({ files }) => files) / middle(({ kept }) => kept)).toFixed(2)}.
`;
console.log(text);
if (!values['dry-run']) await writeFile(new URL('topics-results.md', import.meta.url), text);
await upstream.close();
child.disconnect();
process.exit();
