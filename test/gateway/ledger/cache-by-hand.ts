import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import { createAnswerCache } from '../../../src/gateway/ledger/cache/answer-cache.ts';
import { type CacheOutcome, withCache } from '../../../src/gateway/ledger/cache/with-cache.ts';
import type { LedgerReply, Outcome } from '../../../src/gateway/ledger/outcome.ts';
import type { Ledger } from '../../../src/gateway/ledger/ledger.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import type { Call, Envelope } from '../../../src/core/rpc/call.ts';
import { parseBody } from '../../../src/core/rpc/parse-body.ts';

export type Pending = PromiseWithResolvers<LedgerReply> & { readonly call: Call };

/** Calls that go to the node together. */
export type PendingBatch = PromiseWithResolvers<readonly Outcome[]> & { readonly calls: readonly Call[] };

export type ByHand = {
  readonly cached: Ledger;
  /** The batches that reached the node, likewise. */
  readonly batches: readonly PendingBatch[];
  /** The calls that reached the node, in order; each waits to be answered. */
  readonly pending: readonly Pending[];
};

export type ByHandOptions = {
  readonly maxBytes?: number;
  readonly generation?: () => number;
  readonly slotMs?: number;
  readonly nowMs?: () => number;
  readonly onOutcome?: (method: string, outcome: CacheOutcome) => void;
};

export const context = {
  keyId: 'k',
  accountId: 'a',
  signal: new CallSignal(),
  hold: createReplyMemory(1_000_000, 1_000_000).hold(),
};

/** A cache before a ledger whose calls are answered by hand; time stands still unless the test passes its own. */
export function cacheByHand(options: ByHandOptions = {}): ByHand {
  const pending: Pending[] = [];
  const batches: PendingBatch[] = [];
  const ledger: Ledger = {
    serve: (call, { signal }) => {
      const answer = { ...Promise.withResolvers<LedgerReply>(), call };
      signal.onAbort(answer.reject);
      pending.push(answer);
      return answer.promise;
    },
    serveBatch: (calls, { signal }) => {
      const answer = { ...Promise.withResolvers<readonly Outcome[]>(), calls };
      signal.onAbort((error) => answer.resolve(calls.map(() => ({ kind: 'failure', error }))));
      batches.push(answer);
      return answer.promise;
    },
  };
  const cached = withCache(ledger, {
    answers: createAnswerCache(options.maxBytes ?? 1_000_000),
    network: 'n',
    onOutcome: () => undefined,
    generation: () => 0,
    nowMs: () => 0,
    ...options,
    slotMs: () => options.slotMs ?? 400,
  });
  return { cached, pending, batches };
}

/** A call as it is read off the wire. */
export function callOf(method: string, id: number, params = '[]'): Call {
  const message = parseBody(Buffer.from(textOfCall(method, id, params)), { maxBatchCalls: 1 });
  if (message.kind === 'batch') throw new Error('no call');
  return callIn(message.envelope);
}

/** Calls of a method as they are read off the wire in a batch, by their params; their ids count from 1. */
export function batchOf(method: string, params: readonly string[]): readonly Call[] {
  const body = `[ ${params.map((each, index) => textOfCall(method, index + 1, each)).join(' , ')}]`;
  const message = parseBody(Buffer.from(body), { maxBatchCalls: params.length });
  if (message.kind === 'single') throw new Error('no batch');
  return message.envelopes.map(callIn);
}

function textOfCall(method: string, id: number, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

function callIn(envelope: Envelope): Call {
  if (envelope.kind === 'invalid') throw new Error('no call');
  return envelope.call;
}

export function reply(result: string, id: number): LedgerReply {
  return {
    kind: 'whole',
    body: Buffer.from(`{"jsonrpc":"2.0","result":${result},"id":${id}}`),
    isError: false,
  };
}

/** Lets everything run that waits for nothing from outside. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export async function textOf(serving: Promise<LedgerReply>): Promise<string> {
  const served = await serving;
  return served.kind === 'whole' ? served.body.toString() : served.kind;
}
