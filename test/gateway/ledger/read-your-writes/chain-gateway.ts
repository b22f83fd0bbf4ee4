import { createAnswerCache } from '../../../../src/gateway/ledger/cache/answer-cache.ts';
import { withCache } from '../../../../src/gateway/ledger/cache/with-cache.ts';
import { createLedger } from '../../../../src/gateway/ledger/ledger.ts';
import type { LedgerReply } from '../../../../src/gateway/ledger/outcome.ts';
import { ReadYourWrites } from '../../../../src/gateway/ledger/read-your-writes/read-your-writes.ts';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import type { Call } from '../../../../src/core/rpc/call.ts';
import { parseBody } from '../../../../src/core/rpc/parse-body.ts';
import { createReplyMemory } from '../../../../src/core/rpc/reply-memory.ts';
import { wrapPool } from '../../../../src/gateway/nodes/open-upstream.ts';
import { SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { type ChainPoolOptions, startChainPool } from '../../nodes/pool/chain-pool.ts';

export const WAIT_MS = 1_000;

export type GatewayOptions = ChainPoolOptions & { readonly isOn?: boolean; readonly waitMs?: number };

/** The answer to a call. */
export type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number | string; readonly data?: unknown };
  readonly cacheStatus?: string | undefined;
};

/** A gateway's ledger with cache and own reads before nodes of one chain, without a network between. */
export async function startChainGateway({ isOn = true, waitMs = WAIT_MS, ...options }: GatewayOptions = {}) {
  const pool = await startChainPool(options);
  const upstream = wrapPool(pool.upstream, { responseTimeoutMs: 30_000, onRetry: () => undefined });
  const nowMs = () => performance.now();
  const readYourWrites = new ReadYourWrites({
    isOn,
    waitMs,
    nowMs,
    expected: pool.expected,
    allHave: pool.allHave,
    isAlone: pool.isAlone,
    slotsIn: (ms) => Math.ceil(ms / SLOT_MS),
  });
  const nodeLedger = createLedger({
    upstream,
    readYourWrites,
    environment: 'devnet',
    nodes: pool,
    onUnordered: () => undefined,
    onUnknownMethod: () => undefined,
  });
  const ledger = withCache(nodeLedger, {
    answers: createAnswerCache(1_000_000),
    network: 'solana-devnet',
    generation: () => 0,
    slotMs: () => SLOT_MS,
    nowMs,
    onOutcome: () => undefined,
    readYourWrites,
  });
  const memory = createReplyMemory(10_000_000, 10_000_000);
  const contextOf = (keyId: string, session?: string) => {
    return { keyId, accountId: 'a', session, signal: new CallSignal(), hold: memory.hold() };
  };
  const call = async (
    keyId: string,
    method: string,
    params?: readonly unknown[],
    session?: string,
    id = 1,
  ): Promise<Answer> =>
    answerOf(await settle(ledger.serve(callOf(id, method, params), contextOf(keyId, session))));
  const batch = async (
    keyId: string,
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
  ): Promise<readonly Answer[]> => {
    const context = contextOf(keyId);
    const parsed = calls.map(([method, params], id) => callOf(id, method, params));
    const outcomes = await ledger.serveBatch(parsed, context);
    return Promise.all(
      outcomes.map(async (outcome, index) => {
        const one = parsed[index];
        if (outcome.kind === 'failure') return answerOf({ error: outcome.error });
        if (outcome.kind === 'not-batched' && one !== undefined)
          return answerOf(await settle(ledger.serve(one, context)));
        return answerOf({ reply: outcome as LedgerReply });
      }),
    );
  };
  return { ...pool, readYourWrites, callOwn: call, batch };
}

type Settled = { readonly reply: LedgerReply } | { readonly error: unknown };

function settle(served: Promise<LedgerReply>): Promise<Settled> {
  return served.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
}

function answerOf(settled: Settled): Answer {
  if ('error' in settled) {
    const { code, context } = settled.error as { readonly code: string; readonly context: unknown };
    return { error: { code, data: context } };
  }
  const { reply } = settled;
  if (reply.kind !== 'whole') throw new Error(`a reply that is ${reply.kind}`);
  return { ...(JSON.parse(reply.body.toString()) as Answer), cacheStatus: reply.cacheStatus };
}

function callOf(id: number, method: string, params?: readonly unknown[]): Call {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  const message = parseBody(body, { maxBatchCalls: 100 });
  if (message.kind !== 'single' || message.envelope.kind !== 'call') throw new Error('not a call');
  return message.envelope.call;
}
