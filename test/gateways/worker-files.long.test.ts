import { Agent } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { ChainServer } from '../lab/nodes/chain-server.ts';
import { command } from '../support/wallet-account.ts';
import {
  expectSameSlots,
  type FollowedSlots,
  fileMetric,
  filesReachBackTo,
  followSlots,
} from './follow-slots.ts';
import { post } from './post.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, startWorkersGateway } from './start-gateways.ts';

vi.setConfig({ testTimeout: 400_000 });

/** A worker that does not write serves final blocks of the files, of a second ago: memory has those behind them, which are 32. */
const MEMORY_SLOTS = 60;
const WORKERS = [1, 2] as const;

if (GATEWAYS_MISSING === undefined) describe('files of blocks of two workers', keep);
else test('files of blocks of two workers', (context) => context.skip(GATEWAYS_MISSING));

function keep(): void {
  const started = new AsyncDisposableStack();
  const chain = new ChainServer();
  let gateway: Gateway;
  let key = '';
  beforeAll(async () => {
    await chain.start();
    started.defer(() => chain.kill());
    const { gateway: made, remove } = await startWorkersGateway(2, {
      upstreamUrl: chain.url,
      env: { KEYSLOT_STREAM_HISTORY_SLOTS: String(MEMORY_SLOTS) },
    });
    started.defer(remove);
    gateway = made;
    ({ key = '' } = await command(gateway.dataDir, ['keys', 'create', '--account', 'acme']));
    await bothKnow();
  });
  afterAll(() => started.disposeAsync());

  /** Connections of their own, which the supervisor gives to the workers in turn. */
  const bothKnow = () =>
    eventually(
      'both workers know the key',
      async () => {
        const call = () =>
          post(
            new Agent(),
            `${gateway.rpcUrl}?apikey=${key}`,
            '{"jsonrpc":"2.0","id":1,"method":"getSlot"}',
          ).catch(() => undefined);
        const answers = [await call(), await call(), await call(), await call()];
        return answers.every((answer) => answer?.status === 200) || undefined;
      },
      { timeoutMs: 120_000 },
    );
  const streamsOf = async (worker: number): Promise<number> => {
    const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
    const own = text.matchAll(new RegExp(`^keyslot_streams_open\\{worker="${worker}".*\\} (\\d+)$`, 'gm'));
    return [...own].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  /** As many streams as it takes until each worker has one of them. */
  const followBoth = async (resumeSlot?: bigint): Promise<readonly FollowedSlots[]> => {
    const before = await Promise.all(WORKERS.map(streamsOf));
    const opened: FollowedSlots[] = [];
    await eventually(
      'each worker has a stream',
      async () => {
        const next = followSlots(gateway, key, resumeSlot);
        opened.push(next);
        await next.has(1);
        const now = await Promise.all(WORKERS.map(streamsOf));
        return now.every((count, at) => count > (before[at] ?? 0)) || undefined;
      },
      { timeoutMs: 120_000 },
    );
    return opened;
  };
  const closeAll = (streams: readonly FollowedSlots[]) => Promise.all(streams.map(({ close }) => close()));
  /** The files of the only ledger, and the process that has its lock. */
  const folder = async () => {
    const network = join(gateway.dataDir, 'segments', 'solana-localnet');
    const [ledger = ''] = await readdir(network);
    const names = await readdir(join(network, ledger));
    const lock = JSON.parse(await readFile(join(network, ledger, 'lock'), 'utf8')) as {
      readonly pid: number;
    };
    return { files: names.filter((name) => name.endsWith('.blocks')), writer: lock.pid };
  };
  /** The processes that have said so of their files, in the order in which they did. */
  const processesThatAre = (state: string): readonly number[] =>
    gateway
      .stderr()
      .split('\n')
      .filter(
        (line) => line.includes('"segment writer changed state"') && line.includes(`"state":"${state}"`),
      )
      .map((line) => (JSON.parse(line) as { readonly pid: number }).pid);
  /** The node has no block any more that is older than the newest ones. */
  const forgetBlocks = (live: FollowedSlots): void => {
    chain.node.firstSlot = Number([...live.hashes.keys()].at(-1));
  };
  const bothResume = async (at: bigint, before: FollowedSlots): Promise<void> => {
    await filesReachBackTo(gateway, at);
    forgetBlocks(before);
    const again = await followBoth(at);
    for (const each of again) {
      await each.has(before.hashes.size);
      expect([...each.hashes.keys()][0]).toBe(at + 1n);
      expectSameSlots(each.hashes, before.hashes);
    }
    await closeAll(again);
    chain.node.firstSlot = 0;
  };

  test('one worker writes them, a stream resumes from them at either, and the other continues when it is killed', async () => {
    const live = await followBoth();
    const [first] = live;
    if (first === undefined) throw new Error('there is no stream');
    for (const each of live) await each.has(2 * MEMORY_SLOTS);
    // Either may be the one that writes, from its first block on.
    const [at = 0n] = live.map(({ hashes }) => [...hashes.keys()][1] ?? 0n).sort((a, b) => (a > b ? -1 : 1));

    await eventually('one writes, the other does not', () =>
      processesThatAre('writing').length > 0 && processesThatAre('elsewhere').length > 0 ? true : undefined,
    );
    const [writer = 0, ...others] = new Set(processesThatAre('writing'));
    expect([others, processesThatAre('elsewhere').includes(writer)]).toEqual([[], false]);
    // Two that write would have begun a file each.
    expect(await folder()).toEqual({ files: [expect.any(String)], writer });
    await bothResume(at, first);

    process.kill(writer, 'SIGKILL');
    await eventually(
      'another process writes',
      async () => (await folder().catch(() => undefined))?.writer !== writer || undefined,
      { timeoutMs: 120_000 },
    );
    await bothKnow();
    await first.has(first.hashes.size + MEMORY_SLOTS);
    // The worker that was started again needs what is not final in memory, too.
    const rest = await followBoth();
    for (const each of rest) await each.has(MEMORY_SLOTS);
    await bothResume(at, first);
    const { writer: next } = await folder();
    expect(next).not.toBe(writer);
    expect(new Set(processesThatAre('writing'))).toEqual(new Set([writer, next]));
    expect((await fileMetric(gateway, 'damaged_total')).filter((count) => count > 0)).toEqual([]);
    await closeAll([...live, ...rest]);
  });
}
