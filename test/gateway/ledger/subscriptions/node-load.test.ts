import { expect, onTestFinished, test, vi } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { NodeLoad, Openings } from '../../../../src/gateway/ledger/subscriptions/node-load.ts';
import { openSocket } from '../../../support/socket-client.ts';
import { ADDRESS, useStage } from './use-stage.ts';

const MIB = 1024 * 1024;
const of = (id: number, ...accounts: string[]) => ({
  id,
  subscribers: new Set(accounts.map((accountId) => ({ accountId }))),
});
const idsOf = (all: readonly { readonly id: number }[]): number[] => all.map(({ id }) => id);

test('where results are too much for a connection, the account with the most gives way, the newest first', () => {
  const load = new NodeLoad();
  const victim = of(1, 'victim');
  expect(load.weigh(victim, 3 * MIB, 0)).toEqual([]);
  const attackers = Array.from({ length: 12 }, (_, at) => of(2 + at, 'attacker'));
  const paused = attackers.flatMap((shared) => load.weigh(shared, 2 * MIB, 500));
  expect(idsOf(paused)).toEqual([8, 9, 10, 11, 12, 13]);
  // A second later it is weighed anew, and what has gone leaves room.
  expect(attackers.slice(0, 8).flatMap((shared) => load.weigh(shared, 2 * MIB, 1_500))).toEqual([]);
  for (const gone of attackers) load.forget(gone);
  expect(attackers.slice(0, 8).flatMap((shared) => load.weigh(shared, 2 * MIB, 1_600))).toEqual([]);
});

test('an account keeps its largest and its share; what it shares with others gives way last; small results are not weighed', () => {
  const load = new NodeLoad();
  const block = of(1, 'a', 'b');
  expect(load.weigh(block, 40 * MIB, 0)).toEqual([]);
  const own = Array.from({ length: 10 }, (_, at) => of(2 + at, 'a'));
  expect(idsOf(own.flatMap((shared) => load.weigh(shared, MIB, 0)))).toEqual([10, 11]);
  for (let id = 12; id < 2_000; id += 1) expect(load.weigh(of(id, 'b'), 10_000, 0)).toEqual([]);
});

test('a subscription that nobody has any more is not weighed', () => {
  const load = new NodeLoad();
  for (let id = 1; id < 100; id += 1) expect(load.weigh(of(id), MIB, 0)).toEqual([]);
});

test('an account opens 64 new subscriptions at once, then 320 a second, and others do not wait for it', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const openings = new Openings();
  const signal = new CallSignal();
  let opened = 0;
  const all = Array.from({ length: 400 }, async () => {
    await openings.turn('a', signal);
    opened += 1;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(opened).toBe(64);
  await openings.turn('b', signal);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened).toBe(64 + 320);
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(all);
});

const stage = useStage();

test('what is too much is ended at the node alone, and others are told as before', async () => {
  // As if all of it came within a second.
  const weigh = NodeLoad.prototype.weigh;
  const spied = vi.spyOn(NodeLoad.prototype, 'weigh').mockImplementation(function (
    this: NodeLoad<never>,
    ...[shared, sizeBytes]
  ) {
    return Reflect.apply(weigh, this, [shared, sizeBytes, 0]);
  });
  onTestFinished(() => spied.mockRestore());
  await stage.start();
  const { client, node, gateway } = stage;
  await client.call('slotSubscribe');
  const large = Buffer.alloc(900 * 1024, 'A').toString();
  const clients = await Promise.all(Array.from({ length: 21 }, () => openSocket(gateway.wsUrl)));
  for (const [at, each] of clients.entries()) {
    const dataSlice = { offset: 0, length: 1_000 + at };
    await each.call('accountSubscribe', [ADDRESS, { encoding: 'base64', dataSlice }]);
  }
  const value = { lamports: 1, data: [large, 'base64'] };
  let slot = 7;
  const paused = async (): Promise<string> => {
    slot += 1;
    node.notify('accountSubscribe', { context: { slot }, value });
    return gateway.metrics.registry.metrics();
  };
  await expect
    .poll(paused, { timeout: 30_000 })
    .toMatch(/keyslot_ws_pauses_total\{.*subscription="accountSubscribe"\} [1-9]/);
  await expect.poll(() => node.subscriptions('accountSubscribe').length).toBeLessThan(21);
  const text = await gateway.metrics.registry.metrics();
  expect(text).not.toMatch(/keyslot_upstream_ws_losses_total\{.*\} [1-9]/);
  node.notify('slotSubscribe', { slot: 900, parent: 899, root: 1 });
  await expect.poll(() => client.next()).toMatchObject({ params: { result: { slot: 900 } } });
  for (const each of clients) each.close();
});
