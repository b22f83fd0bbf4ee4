import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/gateway/ledger/outcome.ts';
import { createLedger } from '../../../src/gateway/ledger/ledger.ts';
import { serviceError, toServiceError } from '../../../src/core/service-error.ts';
import type { BatchedCall } from '../../../src/gateway/nodes/batch-probe.ts';
import type { BatchOutcome } from '../../../src/gateway/nodes/with-batches.ts';
import { callOf, context } from './cache-by-hand.ts';
import { UNKNOWN_NODES } from '../../support/unknown-nodes.ts';

const never = (): never => {
  throw new Error('nothing is sent by itself');
};

/** A ledger before a node that answers batches as it is told, and the ids that reached the node. */
function ledgerBefore(answer: (call: BatchedCall) => BatchOutcome) {
  const seen: string[][] = [];
  const upstream = {
    send: never,
    close: never,
    sendBatched: async (calls: readonly BatchedCall[]) => {
      seen.push(calls.map(({ id }) => id));
      return calls.map(answer);
    },
  };
  return { seen, ledger: createLedger({ upstream, environment: 'mainnet', ...UNKNOWN_NODES }) };
}

const echo = ({ raw }: BatchedCall): BatchOutcome => ({
  kind: 'whole',
  body: raw,
  isError: false,
  isHeld: true,
});

function summaryOf(outcome: Outcome): unknown {
  if (outcome.kind === 'whole') return outcome.body.toString();
  return outcome.kind === 'failure' ? toServiceError(outcome.error).code : outcome.kind;
}

test('calls that are refused, or answered here, do not reach the node; the others go together', async () => {
  const { ledger, seen } = ledgerBefore(echo);
  const calls = [
    callOf('getBalance', 1, '["not-base58!"]'),
    callOf('getSlot', 2),
    callOf('rpc.discover', 3),
    callOf('requestAirdrop', 4, `["${'1'.repeat(32)}",1]`),
    callOf('getHealth', 5),
    callOf('nope', 6),
  ];
  expect((await ledger.serveBatch(calls, context)).map(summaryOf)).toEqual([
    'invalidBase58',
    calls[1]?.raw.toString(),
    'result',
    'airdropUnavailable',
    calls[4]?.raw.toString(),
    'methodNotFound',
  ]);
  expect(seen).toEqual([['2', '5']]);
});

test('if no call is one for the node, it is not asked', async () => {
  const { ledger, seen } = ledgerBefore(echo);
  const outcomes = await ledger.serveBatch([callOf('nope', 1), callOf('rpc.discover', 2)], context);
  expect(outcomes.map(summaryOf)).toEqual(['methodNotFound', 'result']);
  expect(seen).toEqual([]);
});

test('what the node made of each call is handed on in its place', async () => {
  const failure = { kind: 'failure', error: serviceError('upstreamBusy') } as const;
  const { ledger } = ledgerBefore((call) =>
    call.id === '1' ? { kind: 'not-batched' } : call.id === '2' ? failure : echo(call),
  );
  const calls = [callOf('nope', 0), callOf('getSlot', 1), callOf('getSlot', 2), callOf('getSlot', 3)];
  expect((await ledger.serveBatch(calls, context)).map(summaryOf)).toEqual([
    'methodNotFound',
    'not-batched',
    'upstreamBusy',
    calls[3]?.raw.toString(),
  ]);
});
