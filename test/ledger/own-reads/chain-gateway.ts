import { createAnswerCache } from '../../../src/ledger/cache/answer-cache.ts';
import { withCache } from '../../../src/ledger/cache/with-cache.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import type { LedgerReply } from '../../../src/ledger/outcome.ts';
import { OwnReads } from '../../../src/ledger/own-reads/own-reads.ts';
import { CallSignal } from '../../../src/rpc/call-signal.ts';
import type { Call } from '../../../src/rpc/call.ts';
import { parseBody } from '../../../src/rpc/parse-body.ts';
import { createReplyMemory } from '../../../src/rpc/reply-memory.ts';
import { wrapPool } from '../../../src/upstream/open-upstream.ts';
import { SLOT_MS } from '../../../src/lab/nodes/chain-node.ts';
import { type ChainPoolOptions, startChainPool } from '../../upstream/pool/chain-pool.ts';

export const WAIT_MS = 1_000;

export type GatewayOptions = ChainPoolOptions & { readonly isOn?: boolean; readonly waitMs?: number };

/** What a call was answered with. */
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
  const ownReads = new OwnReads({
    ...{ isOn, waitMs, nowMs, expected: pool.expected, allHave: pool.allHave, isAlone: pool.isAlone },
    slotsIn: (ms) => Math.ceil(ms / SLOT_MS),
  });
  const nodeLedger = createLedger({
    ...{ upstream, ownReads, environment: 'devnet', nodes: pool },
    ...{ onUnordered: () => undefined, onUnknownMethod: () => undefined },
  });
  const ledger = withCache(nodeLedger, {
    ...{ answers: createAnswerCache(1_000_000), network: 'solana-devnet', generation: () => 0 },
    ...{ slotMs: () => SLOT_MS, nowMs, onOutcome: () => undefined, ownReads },
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
    const outcomes = await ledger.serveTogether(parsed, context);
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
  return { ...pool, ownReads, callOwn: call, batch };
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

/** A well-formed transaction of one signer without instructions, as base-64; each number gives another. */
export function wireOf(number: number): string {
  const signature = Buffer.alloc(64, 1);
  signature.writeUInt32LE(number, 0);
  const message = [1, 0, 0, 1, ...Buffer.alloc(64, 7), 0];
  return Buffer.from([1, ...signature, ...message]).toString('base64');
}
