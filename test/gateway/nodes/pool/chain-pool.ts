import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import type { MethodName } from '../../../../generated/ledger/methods.ts';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { POOL_DEFAULTS, type PoolSettings } from '../../../../src/gateway/nodes/pool/pool-settings.ts';
import type { NodeRole } from '../../../../src/gateway/nodes/pool/pool-node.ts';
import type { UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';
import { wrapPool } from '../../../../src/gateway/nodes/open-upstream.ts';
import { ChainNode, SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { poolOf } from './pool-of.ts';

/** Time passes only as tests say. */
export function useChainTime(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
}

export type ChainPoolOptions = Partial<PoolSettings> & {
  readonly nodes?: number;
  readonly shares?: readonly { readonly roles?: readonly NodeRole[]; readonly weight?: number }[];
  /** Prepares the nodes before the pool asks them anything. */
  readonly prepare?: (nodes: readonly ChainNode[]) => void;
};

/** A pool of nodes of one chain that has asked each of them once. */
export async function startChainPool({
  nodes: count = 3,
  shares = [],
  prepare,
  ...settings
}: ChainPoolOptions = {}) {
  const nodes = Array.from({ length: count }, () => new ChainNode());
  prepare?.(nodes);
  const changes: string[] = [];
  const failovers: string[] = [];
  const consensuses: string[] = [];
  const joined = poolOf(
    nodes.map((upstream, index) => ({ upstream, ...shares[index] })),
    {
      settings: { ...POOL_DEFAULTS, ...settings },
      slotMs: () => SLOT_MS,
      onChange: ({ name, verdict }) => changes.push(`${name} ${verdict.standing}`),
      onFailover: ({ name }, reason) => failovers.push(`${name} ${reason}`),
      onConsensus: ({ kind, slot }) => consensuses.push(`${kind} ${slot}`),
    },
  );
  joined.start();
  onTestFinished(() => joined.close());
  await vi.advanceTimersByTimeAsync(10);
  const upstream = wrapPool(joined.upstream, { responseTimeoutMs: 30_000, onRetry: () => undefined });
  /** Calls a method; the result, or the error with its code. */
  const call = async (
    method: MethodName,
    params: readonly unknown[] = [],
    request: Partial<UpstreamRequest> = {},
  ): Promise<unknown> => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const signal = new CallSignal();
    const reply = await upstream.send({ body, method, id: '1', signal, ...request });
    if (reply.kind === 'stream') throw new Error('a small reply streams');
    const { result, error } = JSON.parse(reply.body.toString()) as Record<string, unknown>;
    return result ?? error ?? null;
  };
  const standings = () => joined.statuses().map(({ standing }) => standing);
  return { ...joined, nodes, call, standings, changes, failovers, consensuses };
}

/** Lets time pass until something has settled, at most a minute. */
export async function inTime<T>(settling: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  settling.then(settle, settle);
  for (let round = 0; round < 200 && !isSettled; round++)
    await vi.advanceTimersByTimeAsync(round < 100 ? 20 : 600);
  if (!isSettled) throw new Error('not settled within a minute');
  return await settling;
}

/** Lets time pass: probes and deadlines come in it. */
export const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
