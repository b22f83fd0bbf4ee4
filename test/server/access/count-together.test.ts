import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import { createFailureLog } from '../../../src/server/access/failure-log.ts';
import { createMetrics } from '../../../src/server/access/metrics.ts';
import { type CountedCalls, UsageBook } from '../../../src/server/access/usage-book.ts';
import { withMetering } from '../../../src/server/access/meter.ts';
import { withObservation } from '../../../src/server/access/with-observation.ts';
import type { LedgerReply, Outcome } from '../../../src/gateway/ledger/outcome.ts';
import type { Ledger } from '../../../src/gateway/ledger/ledger.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { callOf, context } from '../../gateway/ledger/cache-by-hand.ts';

const network = 'n';
const whole = (isError: boolean): LedgerReply => ({ kind: 'whole', body: Buffer.from('{}'), isError });
const failure = (error: unknown): Outcome => ({ kind: 'failure', error });

/** Calls, and what each comes to. */
const ENDS: readonly (readonly [string, Outcome])[] = [
  ['getBalance', whole(false)],
  ['getBalance', whole(false)],
  ['getBalance', whole(true)],
  ['getSlot', whole(false)],
  ['getBalance', whole(false)],
  ['getBalance', failure(serviceError('invalidBase58', { parameter: 'x' }))],
  ['getSlot', failure(serviceError('upstreamBusy'))],
  ['getSlot', failure(serviceError('upstreamBusy'))],
  ['getSlot', { kind: 'result', json: '1' }],
  ['getSlot', failure(new Error('an internal fault'))],
];

const calls = ENDS.map(([method], id) => callOf(method, id));
const outcomes = ENDS.map(([, outcome]) => outcome);

/** A ledger whose calls come to this, one after the other or together. */
function ledgerOf(ends: readonly Outcome[], underway: () => void = () => undefined): Ledger {
  return {
    serve: async (call) => {
      underway();
      const end = ends[Number(call.id)];
      if (end?.kind === 'failure') throw end.error;
      if (end === undefined || end.kind === 'not-batched') throw new Error('not to be served alone');
      return end;
    },
    serveBatch: async () => {
      underway();
      return ends;
    },
  };
}

/** Everything that is counted of calls, without their times, which differ. */
async function countsOf(run: (ledger: Ledger) => Promise<unknown>, ends: readonly Outcome[] = outcomes) {
  const metrics = createMetrics();
  const book = new UsageBook({ hasRoom: () => true, onLost: () => undefined });
  const logFailure = createFailureLog(pino({ level: 'silent' }), { nowMs: () => 0 });
  const observed = withObservation(ledgerOf(ends), { metrics, logFailure, network });
  await run(withMetering(observed, { network, count: (message) => book.count(0, message) }));
  const lines = (await metrics.registry.metrics()).split('\n');
  return {
    rows: book.take(),
    series: lines.filter((line) => /^keyslot_(?:rpc|upstream)_.*(?:total|count|in_flight)/.test(line)).sort(),
  };
}

async function serveEach(ledger: Ledger, signalOf: (place: number) => CallSignal): Promise<void> {
  for (const [place, call] of calls.entries())
    await ledger.serve(call, { ...context, signal: signalOf(place) }).catch(() => undefined);
}

test('calls that are served together are counted as calls that are served one by one', async () => {
  const signal = new CallSignal();
  const batched = await countsOf((ledger) => ledger.serveBatch(calls, { ...context, signal }));
  expect(batched).toEqual(await countsOf((ledger) => serveEach(ledger, () => signal)));
  expect(batched.rows.reduce((sum, row) => sum + row.calls, 0)).toBe(calls.length);
  expect(batched.series).toContain('keyslot_rpc_in_flight{network="n"} 0');
});

test('so are those whose client left, and those of them that were refused before', async () => {
  const left = new Error('the client has left');
  const signal = new CallSignal();
  signal.abort(left);
  const isGivenUp = (place: number): boolean => place >= 6;
  const ends = outcomes.map((outcome, place) => (isGivenUp(place) ? failure(left) : outcome));
  const batched = await countsOf((ledger) => ledger.serveBatch(calls, { ...context, signal }), ends);
  const signalOf = (place: number): CallSignal => (isGivenUp(place) ? signal : new CallSignal());
  expect(batched).toEqual(await countsOf((ledger) => serveEach(ledger, signalOf), ends));
  expect(batched.series).toContain(
    'keyslot_rpc_calls_total{network="n",method="getSlot",outcome="cancelled"} 4',
  );
});

test('calls that are handed back are counted when they are served alone', async () => {
  const ends: readonly Outcome[] = [whole(false), { kind: 'not-batched' }, { kind: 'not-batched' }];
  const counted = await countsOf((ledger) => ledger.serveBatch(calls.slice(0, 3), context), ends);
  expect(counted.rows.map((row) => [row.calls, row.errors])).toEqual([[1, 0]]);
  expect(counted.series).toEqual(
    expect.arrayContaining([
      'keyslot_rpc_calls_total{network="n",method="getBalance",outcome="ok"} 1',
      'keyslot_rpc_in_flight{network="n"} 0',
    ]),
  );
});

test('those that are under way are under way together', async () => {
  const metrics = createMetrics();
  let seen: Promise<string> | undefined;
  const ledger = ledgerOf(outcomes, () => {
    seen = metrics.registry.getSingleMetricAsString('keyslot_rpc_in_flight');
  });
  const logFailure = (): void => undefined;
  await withObservation(ledger, { metrics, logFailure, network }).serveBatch(calls, context);
  expect(await seen).toContain(`{network="n"} ${calls.length}`);
});

test('messages that are counted at once are lost with their number', () => {
  const lost: number[] = [];
  const book = new UsageBook({ hasRoom: () => false, onLost: (messages) => void lost.push(messages) });
  const message: CountedCalls = { keyId: 'k', network, method: 'm', outcome: 'ok', weight: 7, calls: 7 };
  book.count(0, message);
  expect(lost).toEqual([7]);
});
