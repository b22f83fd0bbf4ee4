import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { address } from '../../../gateway/streams/a-block.ts';
import { describeStores, type TestBackend } from '../../../store/backends.ts';
import { streamPace } from '../../../support/stream-pace.ts';
import { openLedgerWorld, PAYEE, payment, signatureAt, from, slotsOf, gapsOf } from './open-ledger-world.ts';

const OF_PAYEE = [{ kind: 'program' as const, value: PAYEE }];

describeStores('events of a ledger', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('each block has its events once, in order, counted without a hole, through restarts anywhere', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    for (let round = 0; round < 5; round++) {
      const { stop } = world.start([id]);
      world.ledger.grow(...from(101 + 6 * round, 3));
      await world.events(id, 6 * round + 1);
      await stop();
      world.ledger.grow(...from(104 + 6 * round, 3));
    }
    world.start([id]);
    const events = await world.events(id, 30);
    expect(slotsOf(events)).toEqual(from(101, 30));
    expect(events.map(({ data }) => data.position)).toEqual(from(1, 30));
    const rows = await world.stored(id);
    expect(rows.map(({ state, network, slot, position }) => [state, network, slot, position])).toEqual(
      from(1, 30).map((position) => ['queued', 'solana-scripted', 100 + position, position]),
    );
    const { ledger } = await world.webhook(id);
    expect(ledger).toMatchObject({ slot: 130, events: 30, queued: 30 });
  });

  test('a node that is lost again and again leaves no hole', async () => {
    const failures: string[] = [];
    const onFailure = ({ code }: { readonly code: string }): void => void failures.push(code);
    const world = await openLedgerWorld(opened(), { hub: { onFailure } });
    const id = await world.make(OF_PAYEE);
    world.start([id]);
    for (let round = 0; round < 20; round++) {
      world.ledger.grow(101 + 2 * round);
      await world.events(id, 2 * round + 1);
      world.ledger.isLost = true;
      const before = failures.length;
      await eventually('the loss is noticed', () => failures.length > before || undefined, { intervalMs: 1 });
      world.ledger.grow(102 + 2 * round);
      world.ledger.isLost = false;
    }
    expect(slotsOf(await world.events(id, 40))).toEqual(from(101, 40));
  });

  test('an address has its transactions, balances and rewards; a signature what became of it', async () => {
    const rewards = () => [{ address: PAYEE, lamports: 5n, postBalance: 2n ** 63n, type: 'Fee' }];
    const failed = (slot: bigint) => ({ ...payment(slot), error: '{"InstructionError":[0,{"Custom":1}]}' });
    const contentOf = (slot: bigint) => ({
      transactions: () => [slot === 102n ? failed(slot) : payment(slot)],
      rewards,
    });
    const world = await openLedgerWorld(opened(), { contentOf });
    const filters = [
      { kind: 'address' as const, value: PAYEE },
      { kind: 'address' as const, value: address(8) },
      { kind: 'signature' as const, value: signatureAt(102) },
    ];
    const id = await world.make(filters);
    world.ledger.grow(101, 102);
    world.start([id]);
    const events = await world.events(id, 7);
    const at = { network: 'solana-scripted', block_time: 1_700_000_101, slot: 101 };
    expect(events.slice(0, 3).map(({ type, data }) => [type, data])).toEqual([
      [
        'ledger.transaction',
        { ...at, position: 1, signature: signatureAt(101), index: 0, filters: [filters[0]], fee: '5000' },
      ],
      [
        'ledger.balance',
        {
          ...at,
          position: 2,
          address: PAYEE,
          lamports_before: '1010',
          lamports_after: '1020',
          signature: signatureAt(101),
          index: 0,
        },
      ],
      [
        'ledger.balance',
        {
          ...at,
          position: 3,
          address: PAYEE,
          reward: 'Fee',
          lamports_before: '9223372036854775803',
          lamports_after: '9223372036854775808',
        },
      ],
    ]);
    const error = '{"InstructionError":[0,{"Custom":1}]}';
    expect(events.slice(3).map(({ type, data }) => [type, data.error])).toEqual([
      ['ledger.transaction', error],
      ['ledger.balance', undefined],
      ['ledger.signature', error],
      ['ledger.balance', undefined],
    ]);
  });

  test('a signature that was in the ledger before is sent, and once', async () => {
    const world = await openLedgerWorld(opened());
    world.ledger.grow(101, 102);
    const id = await world.make([{ kind: 'signature', value: signatureAt(101) }]);
    // Places are not stored, so that the signature added later is in a block behind the stored one.
    const { lane } = world.start([id], { placeMs: 60_000 });
    world.ledger.grow(103, 104, 105);
    await world.events(id, 1);
    await eventually('it has read all', () => lane.slot === 105 || undefined);
    await world.choose(id, [
      { kind: 'signature', value: signatureAt(101) },
      { kind: 'signature', value: signatureAt(104) },
      { kind: 'signature', value: signatureAt(106) },
    ]);
    world.ledger.grow(106);
    const events = await world.events(id, 3);
    expect(events.map(({ data }) => data.signature)).toEqual(
      [101, 104, 106].map((slot) => signatureAt(slot)),
    );
  });

  test('a signature is looked up again while the node that was asked lags', async () => {
    const world = await openLedgerWorld(opened());
    world.ledger.grow(101);
    const id = await world.make([{ kind: 'signature', value: signatureAt(101) }]);
    const asked: bigint[] = [];
    const { signatureStatuses } = world.ledger;
    Object.assign(world.ledger, {
      signatureStatuses: async (signatures: readonly string[]) => {
        const { slot, statuses } = await signatureStatuses(signatures);
        asked.push(slot);
        return asked.length < 3 ? { slot: 100n, statuses: [undefined] } : { slot, statuses };
      },
    });
    world.start([id]);
    world.ledger.grow(102, 103, 104, 105);
    expect(slotsOf(await world.events(id, 1))).toEqual([101]);
    expect(asked.length).toBe(3);
  });

  test('finalized events come when their block is finalized, and not before', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE, 'finalized');
    const soon = await world.make(OF_PAYEE);
    world.start([id], { commitment: 'finalized' });
    world.start([soon]);
    world.ledger.grow(...from(101, 40));
    await world.events(soon, 40);
    // 140 is confirmed, so 108 is finalized; the webhook was made when 68 was.
    const events = await world.events(id, 9);
    expect(slotsOf(events).at(-1)).toBe(108);
    world.ledger.grow(141);
    expect(slotsOf(await world.events(id, events.length + 1)).at(-1)).toBe(109);
  });

  test('where the ledger goes over to Alpenglow, finalized events come at once from then on, and none is missing', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE, 'finalized');
    world.start([id], { commitment: 'finalized' });
    world.ledger.grow(...from(101, 40));
    // The ledger begins at slot 100: what the webhook would have been told before is a gap.
    await world.events(id, 8);
    world.ledger.finalityLag = 0;
    world.ledger.grow(141);
    const count = 1 + 42;
    expect(slotsOf(await world.events(id, count)).slice(1)).toEqual(from(100, 42));
    world.ledger.grow(142);
    expect(slotsOf(await world.events(id, count + 1)).at(-1)).toBe(142);
  });

  test('transactions that the node no longer has are a gap, and events continue behind it', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    world.ledger.grow(...from(101, 50));
    world.ledger.purgeBelow(131);
    world.start([id]);
    const events = await world.events(id, 21);
    expect(events[0]).toMatchObject({
      type: 'ledger.gap',
      data: { position: 1, from_slot: 101, to_slot: 130, slot: 130, reason: 'too_old' },
    });
    expect(slotsOf(events.slice(1))).toEqual(from(131, 20));
    expect(gapsOf(events)).toHaveLength(1);
  });

  test('what is further back than the server goes is a gap', async () => {
    const world = await openLedgerWorld(opened(), { hub: { pace: streamPace({ maxResumeSlots: 10 }) } });
    const id = await world.make(OF_PAYEE);
    world.ledger.grow(...from(101, 50));
    world.start([id]);
    const events = await world.events(id, 11);
    expect(gapsOf(events)).toMatchObject([{ from_slot: 101, to_slot: 140, reason: 'too_old' }]);
    expect(slotsOf(events.slice(1))).toEqual(from(141, 10));
  });

  test('a ledger that started again is a gap, and is read from its beginning', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    const { ended } = world.start([id]);
    world.ledger.grow(101);
    await world.events(id, 1);
    world.ledger.beginAnew(0, 'another');
    await expect(ended).rejects.toMatchObject({ code: 'ledgerChanged' });
    world.ledger.grow(1, 2);
    world.start([id]);
    const events = await world.events(id, 4);
    expect(gapsOf(events)).toMatchObject([
      { position: 2, from_slot: 102, slot: 0, reason: 'ledger_changed' },
    ]);
    expect(slotsOf(events)).toEqual([101, 0, 1, 2]);
  });

  test('another fork is a gap, also when nothing ran while it was taken', async () => {
    const world = await openLedgerWorld(opened());
    const id = await world.make(OF_PAYEE);
    const { stop } = world.start([id]);
    world.ledger.grow(101);
    await world.events(id, 1);
    await eventually(
      'its place is stored',
      async () => (await world.webhook(id)).ledger?.slot === 101 || undefined,
    );
    await stop();
    // The same genesis, and another block at the same slot.
    world.ledger.takeFork(101);
    world.ledger.grow(102, 103);
    world.start([id]);
    const events = await world.events(id, 4);
    expect(gapsOf(events)).toMatchObject([{ to_slot: 101, slot: 101, reason: 'ledger_changed' }]);
    expect(slotsOf(events)).toEqual([101, 101, 102, 103]);
  });

  test('a webhook that was made while the ledger was lost is told so', async () => {
    const world = await openLedgerWorld(opened());
    world.ledger.isLost = true;
    const id = await world.make(OF_PAYEE);
    expect((await world.webhook(id)).ledger).toMatchObject({ slot: null });
    world.ledger.isLost = false;
    world.ledger.grow(101, 102);
    const { lane } = world.start([id]);
    await eventually('it reads', () => lane.slot);
    world.ledger.grow(103);
    const events = await world.events(id, 2);
    expect(gapsOf(events)).toEqual([
      { network: 'solana-scripted', slot: 102, position: 1, to_slot: 102, reason: 'not_reached' },
    ]);
    expect(slotsOf(events)).toEqual([102, 103]);
  });
});
