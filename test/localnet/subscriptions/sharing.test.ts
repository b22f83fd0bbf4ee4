import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { SubscriptionHub } from '../../../src/localnet/subscriptions/subscription-hub.ts';
import { LOCALNET_SUBSCRIPTIONS } from '../../../generated/ledger/localnet-subscriptions.ts';
import { ServiceError } from '../../../src/core/service-error.ts';
import { newLedger } from '../new-ledger.ts';
import { SOL } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';

const address = Keypair.generate().publicKey.toBase58();
const gone = { code: -32602, message: 'Invalid subscription id.' };

test('what means the same has one id on all connections, and every connection is told', async () => {
  const { call, tick, connect } = await serveLedger();
  const [one, two] = [await connect(), await connect()];
  const id = await one.subscribe('accountSubscribe', address);
  const same = { commitment: 'finalized', encoding: 'binary', minContextSlot: 9_999 };
  expect(await two.subscribe('accountSubscribe', address, same)).toBe(id);
  expect(await two.subscribe('accountSubscribe', address, { commitment: 'nonsense' })).toBe(id);
  expect(await two.subscribe('accountSubscribe', address, { encoding: 'base64' })).not.toBe(id);
  await call('requestAirdrop', address, SOL);
  tick(32);
  expect(await one.notificationsOf(id)).toHaveLength(1);
  expect(await two.notificationsOf(id)).toEqual(await one.notificationsOf(id));
});

test('however filters are written and whatever else is in them, it is their meaning that counts', async () => {
  const { connect } = await serveLedger();
  const client = await connect();
  const program = '11111111111111111111111111111111';
  const ids = async (name: string, ...all: readonly (readonly unknown[])[]) =>
    new Set(await Promise.all(all.map((params) => client.subscribe(name, ...params))));
  const memcmp = (each: object) => ({ filters: [{ memcmp: { offset: 0, ...each } }] });
  const filters = [
    memcmp({ bytes: '2g' }),
    memcmp({ bytes: 'YQ==', encoding: 'base64' }),
    memcmp({ bytes: '2g', encoding: 'base58' }),
  ];
  expect((await ids('programSubscribe', ...filters.map((each) => [program, each]))).size).toBe(1);
  const other = [program, memcmp({ bytes: '2h' })];
  expect((await ids('programSubscribe', [program, filters[0]], other)).size).toBe(2);
  const slices = [
    { offset: 0, length: 1, note: 'x' },
    { length: 1, offset: 0 },
  ];
  expect((await ids('programSubscribe', ...slices.map((dataSlice) => [program, { dataSlice }]))).size).toBe(
    1,
  );
  const mentions = [{ mentions: [address] }, { mentions: [address], note: 'x' }];
  expect((await ids('logsSubscribe', ...mentions.map((each) => [each]))).size).toBe(1);
  expect((await ids('logsSubscribe', ['all'], ['allWithVotes'], [mentions[0]])).size).toBe(3);
});

test('the same again on one connection is still one subscription, ended by one call', async () => {
  const { tick, connect } = await serveLedger();
  const client = await connect();
  const id = await client.subscribe('slotSubscribe');
  expect(await client.subscribe('slotSubscribe')).toBe(id);
  tick();
  expect(await client.notificationsOf(id)).toHaveLength(1);
  expect(await client.call('slotUnsubscribe', id)).toBe(true);
  expect(await client.refusal('slotUnsubscribe', id)).toMatchObject(gone);
  tick();
  expect(await client.notificationsOf(id)).toHaveLength(1);
});

test('any unsubscribe ends any subscription of the connection, and none of another', async () => {
  const { tick, connect } = await serveLedger();
  const [owner, stranger] = [await connect(), await connect()];
  const id = await owner.subscribe('slotSubscribe');
  expect(await stranger.refusal('slotUnsubscribe', id)).toMatchObject(gone);
  expect(await stranger.subscribe('slotSubscribe')).toBe(id);
  expect(await stranger.call('voteUnsubscribe', id)).toBe(true);
  tick();
  expect([await owner.notificationsOf(id), await stranger.notificationsOf(id)]).toMatchObject([
    [{ slot: 33 }],
    [],
  ]);
  expect(await owner.refusal('accountUnsubscribe', 2n ** 64n - 1n)).toMatchObject(gone);
  expect(await owner.refusal('accountUnsubscribe', String(id))).toMatchObject({ code: -32602 });
  expect(await owner.refusal('accountUnsubscribe')).toMatchObject({ code: -32602 });
});

test('ids are not used again', async () => {
  const { connect } = await serveLedger();
  const client = await connect();
  const first = await client.subscribe('slotSubscribe');
  await client.call('slotUnsubscribe', first);
  expect(await client.subscribe('slotSubscribe')).toBe(first + 1);
});

test('the last subscription that fits is taken, the next one refused, and a place that is left is free again', () => {
  const { ledger } = newLedger();
  const hub = new SubscriptionHub(ledger, { maxSubscriptions: 2 });
  const subscriber = { notify: () => undefined, fail: () => undefined };
  const subscribe = (each: string) => {
    const subscribed = LOCALNET_SUBSCRIPTIONS.accountSubscribe(ledger, each);
    return hub.subscribe(subscriber, 'accountSubscribe', subscribed, () => undefined);
  };
  const [first, second, third] = ['a', 'b', 'c'] as const;
  const id = subscribe(first);
  subscribe(second);
  expect(subscribe(first)).toBe(id);
  expect(() => subscribe(third)).toThrow(ServiceError);
  expect(() => subscribe(third)).toThrow('Subscription refused. Node subscription limit reached');
  hub.unsubscribe(subscriber, id);
  expect(hub.size).toBe(1);
  subscribe(third);
  hub.leave(subscriber);
  expect(hub.size).toBe(0);
});

test('subscriptions that nothing happens to are not asked anything', async () => {
  const { ledger, tick, call } = newLedger();
  const hub = new SubscriptionHub(ledger);
  const asked: string[] = [];
  const subscriber = { notify: () => undefined, fail: () => undefined };
  for (const commitment of ['processed', 'confirmed', 'finalized'] as const) {
    for (let index = 0; index < 1_000; index++) {
      const each = index === 500 ? address : Keypair.generate().publicKey.toBase58();
      const notify = () => asked.push(`${commitment} ${each}`);
      const watches = [
        { kind: 'account', address: each, commitment, notify },
        { kind: 'program', program: each, commitment, notify },
        { kind: 'transaction', mention: each, commitment, notify },
        { kind: 'block', mention: each, commitment, notify: () => [notify()], notifyOther: () => [] },
        { kind: 'signature', signature: each, commitment, notify },
      ] as const;
      for (const watch of watches)
        hub.subscribe(
          subscriber,
          'accountSubscribe',
          { key: [watch.kind, each, commitment], watch },
          () => undefined,
        );
    }
  }
  await call('requestAirdrop', address, SOL);
  tick(33);
  const times = (count: number, commitment: string) => Array<string>(count).fill(`${commitment} ${address}`);
  expect(asked).toEqual([...times(2, 'processed'), ...times(3, 'confirmed'), ...times(3, 'finalized')]);
});

test('a subscriber that fails gets an error and leaves; the ledger and the others continue', () => {
  const { ledger, tick } = newLedger();
  const hub = new SubscriptionHub(ledger);
  const told: string[] = [];
  const subscriber = (name: string) => ({
    notify: () => told.push(name),
    fail: (error: unknown) => told.push(`${name}: ${String(error)}`),
  });
  const good = LOCALNET_SUBSCRIPTIONS.slotSubscribe(ledger);
  const notify = (): never => {
    throw new Error('cannot be told');
  };
  const clock = 'SysvarC1ock11111111111111111111111111111111';
  const watches = [
    { kind: 'slot', notify },
    { kind: 'account', address: clock, commitment: 'confirmed', notify },
  ] as const;
  for (const watch of watches)
    hub.subscribe(subscriber(watch.kind), 'accountSubscribe', { key: [watch.kind], watch }, () => undefined);
  hub.subscribe(subscriber('good'), 'slotSubscribe', good, () => undefined);
  tick(2);
  const failed = ['account: Error: cannot be told', 'slot: Error: cannot be told'];
  expect(told).toEqual([...failed, 'good', 'good']);
  expect(hub.size).toBe(1);
});
