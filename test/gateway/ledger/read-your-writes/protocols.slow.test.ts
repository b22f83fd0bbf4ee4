import { beforeAll, afterAll, expect, test } from 'vitest';
import { createStreamClient } from '../../../../generated/stream/package.ts';
import { createRpcCall } from '../../../../runtime/rpc-call.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type ServedChain, serveChain } from '../../../lab/gateways/serve-chain.ts';
import { openSocket, type SocketMessage } from '../../../support/socket-client.ts';

/** A gateway before a node and two that are behind it, which take their turns. */
let chain: ServedChain;

beforeAll(async () => {
  chain = await serveChain();
  for (const [index, { node }] of chain.servers.entries()) node.lag = LAGS[index] ?? 0;
});

afterAll(() => chain?.stop());

const LAGS = [0, 8, 4];
const READS = 12;

/** The slots that a number of reads of a session show at a commitment, one after the other. */
async function slotsOf(session: string, commitment: string): Promise<readonly number[]> {
  const slots: number[] = [];
  const call = createRpcCall({ url: chain.gateway.rpcUrl, session });
  for (let read = 0; read < READS; read++) slots.push(Number(await call('getSlot', [{ commitment }])));
  return slots;
}

/** The session that was shown a slot reads nothing older; sessions that were not, asked first, may be answered by any node. */
async function expectOwn(session: string, commitment: string, shown: number): Promise<void> {
  const others = await Promise.all(
    Array.from({ length: 6 }, (_, other) => {
      const call = createRpcCall({ url: chain.gateway.rpcUrl, session: `${session}-${other}` });
      return call('getSlot', [{ commitment }]);
    }),
  );
  expect(Math.min(...others.map(Number))).toBeLessThan(shown);
  expect(Math.min(...(await slotsOf(session, commitment)))).toBeGreaterThanOrEqual(shown);
}

/** The newest slot of the chain, which subscriptions and streams tell of while they are at the node that is ahead. */
const newest = (): number => chain.servers[0].node.slot('confirmed') - 2;

test('what a WebSocket is notified of is read by its session, and by no other', async () => {
  const headers = { 'keyslot-session': 'socket' };
  const socket = await openSocket(chain.gateway.rpcUrl.replace(/^http/, 'ws'), { headers });
  await socket.call('slotSubscribe');
  for (;;) {
    const { params } = (await socket.next()) as SocketMessage & {
      readonly params: { readonly result: { readonly slot: number } };
    };
    if (params.result.slot < newest()) continue;
    await expectOwn('socket', 'processed', params.result.slot);
    break;
  }
  socket.close();
});

test('what a stream has is read by its session, and by no other', async () => {
  const { grpcUrl: url, apiKey } = chain.gateway;
  const client = createStreamClient({ url, apiKey, session: 'stream' });
  for await (const { slot } of client.subscribe('slots')) {
    if (Number(slot) < newest()) continue;
    await expectOwn('stream', 'confirmed', Number(slot));
    break;
  }
  client.close();
});

test('subscriptions are made at the node that is ahead, and move to the next one when it is lost', async () => {
  const socket = await openSocket(chain.gateway.rpcUrl.replace(/^http/, 'ws'));
  await socket.call('rootSubscribe');
  const subscribed = () => chain.servers.map(({ isSubscribed }) => isSubscribed);
  expect(subscribed()).toEqual([true, false, false]);
  const [first, second] = chain.servers;
  // So far behind that no delay of a probe puts it ahead of the third one.
  second.node.lag = 200;
  await eventually('it is known', async () => (await lagOf('node-2')) > 100 || undefined);
  await first.kill();
  await eventually('it has moved', () => subscribed().includes(true) || undefined);
  expect(subscribed()).toEqual([false, false, true]);
  await socket.next();
  socket.close();
  await first.start();
});

/** The slots by which the gateway finds a node behind. */
async function lagOf(name: string): Promise<number> {
  const text = await (await fetch(chain.gateway.metricsUrl)).text();
  const line = text
    .split('\n')
    .find((each) => each.startsWith('keyslot_node_lag_slots') && each.includes(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}
