import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import { type RunningMock, startMock } from '../../support/keyslot.ts';
import { type SocketFault, type SocketFaultProxy, startSocketFaultProxy } from './socket-fault-proxy.ts';
import { createPace } from '../../../src/devkit/contract/command/options.ts';
import { runSubscriptions } from '../../../src/devkit/contract/subscriptions/run-subscriptions.ts';

/** Two of the mock's slots and some more. */
const PATIENCE_MS = 3_000;
/** Nothing is waited for in vain where there is no fault. */
const LONG_PATIENCE_MS = 30_000;
const scenario = { value: async (name: string) => '1'.repeat(name.endsWith('Signature') ? 64 : 32) };

let mock: RunningMock;
let proxy: SocketFaultProxy | undefined;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());
afterEach(() => proxy?.stop());

type Row = readonly [
  what: string,
  subscription: SubscriptionName,
  fault: SocketFault,
  found: readonly RegExp[],
];

const isReply = (text: string): boolean => text.includes('"id":');
const replacing =
  (from: string | RegExp, to: string): SocketFault =>
  (text) =>
    text.replace(from, to);

const FAULTS: readonly Row[] = [
  [
    'an id that is text',
    'slotSubscribe',
    replacing(/"result":(\d+),"id"/, '"result":"$1","id"'),
    [/the reply is not an id: 1/],
  ],
  [
    'an unsubscribe call that answers false',
    'slotSubscribe',
    replacing('"result":true', '"result":false'),
    [/slotUnsubscribe: answered false, not true/],
  ],
  [
    'a subscription that can be ended twice',
    'rootSubscribe',
    replacing(/"error":\{"code":-32602,"message":"Invalid subscription id."\}/, '"result":true'),
    [/rootUnsubscribe: expected subscriptionNotFound/],
  ],
  [
    'an error in other words',
    'accountSubscribe',
    replacing('Invalid Request: Invalid pubkey provided', 'Invalid pubkey'),
    [/message is "Invalid pubkey", not "Invalid Request: Invalid pubkey provided"/],
  ],
  [
    'an error of another code',
    'logsSubscribe',
    replacing(/-32602(,"message":"Invalid Request: Only 1)/, '-32600$1'),
    [/code is -32600, not -32602 \(mentionsNotOne\)/],
  ],
  [
    'params that are not checked',
    'blockSubscribe',
    replacing(/"error":\{.*Method does not support.*?\}\}?,"id"/, '"result":7,"id"'),
    [/expected commitmentNotSupported \(-32602\), got a result: 7/],
  ],
  [
    'no notification',
    'slotSubscribe',
    (text) => (isReply(text) ? text : undefined),
    [/no slotNotification within 3000 ms/],
  ],
  [
    'a notification by another name',
    'slotsUpdatesSubscribe',
    replacing('slotsUpdatesNotification', 'slotNotification'),
    [/method is slotNotification, not slotsUpdatesNotification/],
  ],
  [
    'a notification with a member too many',
    'voteSubscribe',
    replacing('"method":"voteNotification"', '"method":"voteNotification","id":null'),
    [/unknown member id of a notification/],
  ],
  [
    'a slot that is text',
    'slotSubscribe',
    replacing(/"slot":(\d+)/, '"slot":"$1"'),
    [/result\/slot fails x-int \{"slot":"380"/],
  ],
  [
    'an account whose rentEpoch was rounded',
    'accountSubscribe',
    replacing(/18446744073709551615/g, '18446744073709552000'),
    [/result\/value\/rentEpoch fails x-int/],
  ],
  [
    'a context with the version of a node',
    'programSubscribe',
    replacing(/"context":\{/, '"context":{"apiVersion":"4.2.0",'),
    [/result\/context fails additionalProperties/],
  ],
  [
    'a block that cannot be shown, for another version than the one in it',
    'blockSubscribe',
    replacing('"UnsupportedTransactionVersion":1', '"UnsupportedTransactionVersion":0'),
    [/UnsupportedTransactionVersion is 0, not 1/],
  ],
  [
    'an outcome that does not come',
    'signatureSubscribe',
    (text) => (text.includes('"err":') ? undefined : text),
    [/no signatureNotification within|the outcome did not come/],
  ],
];

test.each(FAULTS)('%s is found', async (_, subscription, fault, found) => {
  proxy = await startSocketFaultProxy(mock.rpcUrl.replace(/^http/, 'ws'), fault);
  const { wsUrl } = proxy;
  const target = { wsUrl, patienceMs: PATIENCE_MS };
  const cases = SUBSCRIPTION_CONTRACT[subscription];
  const results = await runSubscriptions(target, cases, scenario, async () => undefined);
  const failures = results.flatMap((result) => result.failures).join('\n');
  for (const pattern of found) expect(failures).toMatch(pattern);
});

test('a server that limits the rate of calls is asked again when it says, and calls that it keeps refusing are told apart', async () => {
  let limited = 3;
  const refusal = { code: -32070, message: 'Rate limit', data: { retryAfterSeconds: 7 } };
  const fault: SocketFault = (text) => {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    if (id === undefined || limited === 0) return text;
    limited -= 1;
    return JSON.stringify({ jsonrpc: '2.0', error: refusal, id });
  };
  proxy = await startSocketFaultProxy(mock.rpcUrl.replace(/^http/, 'ws'), fault);
  const { wsUrl } = proxy;
  let nowMs = 0;
  const waits: number[] = [];
  const clock = {
    nowMs: () => nowMs,
    pause: async (ms: number) => {
      waits.push(ms);
      nowMs += ms;
    },
  };
  const cases = SUBSCRIPTION_CONTRACT.rootSubscribe.filter(({ kind }) => kind === 'wrong-type');
  const run = () =>
    runSubscriptions({ wsUrl, pace: createPace(undefined, clock) }, cases, scenario, async () => undefined);
  expect((await run()).flatMap(({ failures }) => failures)).toEqual([]);
  expect(waits).toEqual([7_000, 7_000, 7_000]);
  limited = Infinity;
  expect((await run()).map(({ isLimited }) => isLimited)).toEqual(cases.map(() => true));
});

test('and without a fault nothing is', async () => {
  proxy = await startSocketFaultProxy(mock.rpcUrl.replace(/^http/, 'ws'), (text) => text);
  const target = { wsUrl: proxy.wsUrl, patienceMs: LONG_PATIENCE_MS };
  const cases = FAULTS.flatMap(([, subscription]) => SUBSCRIPTION_CONTRACT[subscription]);
  const results = await runSubscriptions(target, [...new Set(cases)], scenario, async () => undefined);
  const failed = results.filter(({ failures }) => failures.length > 0);
  expect(failed.map(({ case: { method, kind, name }, failures }) => [method, kind, name, failures])).toEqual(
    [],
  );
});
