import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { openSocket, type SocketClient } from '../../../support/socket-client.ts';
import { ADDRESS, account, CONFIRMED, SIGNATURE, useStage } from './use-stage.ts';

const stage = useStage();
const LAST = 1_200;
/** Every buffer on the way is full by then; a closed client reads that within five seconds, or is cut off. */
const FULL = 1_080;
/** A notification so large that eighty fill every buffer on the way. */
const PADDING = 'x'.repeat(200_000);

type DeliveredNotifications = {
  readonly method?: string;
  readonly slot: number;
  readonly fromSlot: number;
  readonly toSlot: number;
};

function tellAccount(from: number, to: number): void {
  for (let slot = from; slot <= to; slot++) {
    const { context, value } = account(slot, slot);
    stage.node.notify('accountSubscribe', { context, value: { ...value, data: [PADDING, 'base64'] } });
  }
}

function read(text: string): readonly DeliveredNotifications[] {
  const { method, params } = JSON.parse(text);
  if (method === undefined) return [];
  const { fromSlot = 0, toSlot = 0, result } = params;
  return [{ method, slot: result?.context.slot ?? 0, fromSlot, toSlot }];
}

/** The notifications of its account and its gaps that a client has received, in order. */
const readTold = ({ texts }: SocketClient): readonly DeliveredNotifications[] => texts.flatMap(read);

/** Waits until a client has received a slot; only its last message is read. */
async function toHear({ texts }: SocketClient, slot: number): Promise<void> {
  const hasIt = (): true | undefined => read(texts.at(-1) ?? '{}').at(0)?.slot === slot || undefined;
  await eventually(`slot ${slot} is heard`, hasIt, { intervalMs: 2 });
}

async function metric(name: string): Promise<number> {
  const text = await stage.gateway.metrics.registry.metrics();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

test('a client that did not read receives the current account, after a gap for what was left out', async () => {
  await stage.start();
  await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  const fast = await openSocket(stage.gateway.wsUrl);
  await fast.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  stage.client.socket.pause();
  for (let slot = 1_001; slot <= LAST; slot += 5) {
    tellAccount(slot, slot + 4);
    await toHear(fast, slot + 4);
  }
  expect(readTold(fast)).toHaveLength(200);
  await eventually(
    'some were left out',
    async () => (await metric('keyslot_ws_replaced_total')) > 0 || undefined,
  );
  stage.client.socket.resume();
  await toHear(stage.client, LAST);
  let last = 1_000;
  for (const { method, slot, fromSlot, toSlot } of readTold(stage.client)) {
    expect(method === 'gapNotification' ? fromSlot : slot).toBe(last + 1);
    last = method === 'gapNotification' ? toSlot : slot;
  }
  expect(readTold(fast).every(({ method }) => method === 'accountNotification')).toBe(true);
});

test('a slow reader of notifications that all count is closed at the bound, and nobody else is', async () => {
  await stage.start({ sockets: { maxWaitingBytes: 1_000_000 } });
  await stage.client.call('logsSubscribe', ['all']);
  const fast = await openSocket(stage.gateway.wsUrl);
  await fast.call('logsSubscribe', ['all']);
  stage.client.socket.pause();
  for (let slot = 1_001; slot <= LAST; slot++) {
    const value = { signature: SIGNATURE, err: null, logs: [PADDING] };
    stage.node.notify('logsSubscribe', { context: { slot }, value });
    await toHear(fast, slot);
    if (slot === FULL) stage.client.socket.resume();
  }
  expect(readTold(fast)).toHaveLength(200);
  // On a busy machine it may not read the reason within five seconds, and is cut off.
  const reason = 'client too slow: more than 1000000 bytes of notifications were waiting';
  expect([
    { code: 4003, reason },
    { code: 1006, reason: '' },
  ]).toContainEqual(await stage.client.closed);
  const told = readTold(stage.client).map(({ slot }) => slot);
  expect(told).toEqual(told.map((_, index) => 1_001 + index));
  const counted = 'keyslot_ws_closes_total\\{reason="readerTooSlow"\\}';
  await eventually('it is counted', async () => (await metric(counted)) === 1 || undefined);
  await eventually('its subscription is gone', async () =>
    (await stage.gateway.metrics.registry.metrics()).includes('side="clients"} 1') ? true : undefined,
  );
});

test('an ended subscription receives nothing more, whatever waited', async () => {
  await stage.start();
  const { result: id } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  stage.client.socket.pause();
  tellAccount(1_001, LAST);
  await eventually(
    'some were left out',
    async () => (await metric('keyslot_ws_replaced_total')) > 0 || undefined,
  );
  const ended = stage.client.call('accountUnsubscribe', [id]);
  stage.client.socket.resume();
  expect((await ended).result).toBe(true);
  await stage.client.call('getSlot');
  expect(readTold(stage.client).at(-1)?.slot).toBeLessThan(LAST);
  const reply = stage.client.texts.findIndex((text) => text.includes('"result":true'));
  expect(stage.client.texts.slice(reply).some((text) => text.includes('Notification'))).toBe(false);
});
