import { createSolanaRpcSubscriptions } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SUBSCRIPTION_EXAMPLES } from '../../../generated/ledger/examples.ts';
import {
  createLedgerSubscriptions,
  type LedgerSubscriptions,
} from '../../../generated/ledger/subscriptions-client.ts';
import { SUBSCRIPTIONS, type SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import { NOTIFICATION_VALIDATORS } from '../../../generated/contract/ledger/notifications.ts';
import { runSubscriptions } from '../../../src/devkit/contract/subscriptions/run-subscriptions.ts';
import { type RunningMock, startMock } from '../../support/keyslot.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';

let mock: RunningMock;
let socket: SocketClient;
const wsUrl = (): string => mock.rpcUrl.replace(/^http/, 'ws');

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());
beforeEach(async () => {
  socket = await openSocket(wsUrl());
});
afterEach(() => socket?.close());

const names = Object.keys(SUBSCRIPTIONS) as SubscriptionName[];

describe.each(names)('%s', (name) => {
  test('notifies what its examples have, in their order, after the reply', async () => {
    const ids = new Map<unknown, readonly unknown[]>();
    for (const { params, notifications } of SUBSCRIPTION_EXAMPLES[name]) {
      const { result } = await socket.call(name, params);
      ids.set(result, notifications);
    }
    expect(ids.size).toBe(SUBSCRIPTION_EXAMPLES[name].length);
    const heard = new Map<unknown, unknown[]>([...ids.keys()].map((id) => [id, []]));
    const count = [...ids.values()].flat().length;
    for (let at = 0; at < count; at += 1) {
      const { method, params } = await socket.next();
      const { result, subscription } = params as { result: unknown; subscription: unknown };
      expect([method, NOTIFICATION_VALIDATORS[name](result)]).toEqual([
        SUBSCRIPTIONS[name].notification,
        true,
      ]);
      heard.get(subscription)?.push(result);
    }
    expect(heard).toEqual(ids);
  });
});

test('what the specification refuses is refused, and nothing else; what is ended is ended', async () => {
  const cases = Object.values(SUBSCRIPTION_CONTRACT)
    .flat()
    .filter(({ kind }) => kind !== 'notification');
  const scenario = {
    value: async (name: string) => (name === 'unknownSignature' ? '1'.repeat(64) : '1'.repeat(32)),
  };
  const results = await runSubscriptions({ wsUrl: wsUrl() }, cases, scenario, async () => undefined);
  const failed = results.filter(({ failures }) => failures.length > 0);
  expect(failed.map(({ case: { method, name }, failures }) => [method, name, failures])).toEqual([]);
  expect(results.length).toBe(cases.length);
});

test('methods are answered over the socket too, and JSON pings are not', async () => {
  socket.send({ jsonrpc: '2.0', method: 'ping' });
  expect(await socket.call('getHealth')).toMatchObject({ result: 'ok' });
  expect(await socket.call('slotSubscribes')).toMatchObject({ error: { code: -32601 } });
});

test('a subscription that was ended notifies no more', async () => {
  const { result: ended } = await socket.call('slotSubscribe');
  await socket.call('slotUnsubscribe', [ended]);
  const { result: other } = await socket.call('rootSubscribe');
  const { params } = await socket.next();
  expect(params).toMatchObject({ subscription: other });
});

test('kit reads slots from it', async () => {
  const controller = new AbortController();
  const rpc = createSolanaRpcSubscriptions(wsUrl());
  const slots = await rpc.slotNotifications().subscribe({ abortSignal: controller.signal });
  for await (const { slot, parent, root } of slots) {
    expect([slot, parent, root]).toEqual([380n, 379n, 348n]);
    break;
  }
  controller.abort();
});

describe('the generated client', () => {
  let client: LedgerSubscriptions;
  beforeEach(() => {
    client = createLedgerSubscriptions({ url: mock.rpcUrl });
  });
  afterEach(() => client.close());

  test('reads a signature to its outcome', async () => {
    const heard: unknown[] = [];
    for await (const { value } of await client.signatureSubscribe('1'.repeat(64))) heard.push(value);
    expect(heard).toEqual([{ err: { InstructionError: [0, { Custom: 1 }] } }]);
  });

  test('reads slots', async () => {
    for await (const { slot, parent } of await client.slotSubscribe()) {
      expect([slot, parent]).toEqual([380n, 379n]);
      break;
    }
  });
});
