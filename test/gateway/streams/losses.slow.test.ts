import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient, type StreamClient } from '../../../generated/stream/package.ts';
import { type CutProxy, startCutProxy } from '../../lab/faults/cut-proxy.ts';
import { rounds } from '../../support/tier.ts';
import {
  type RunningKeyslot,
  type RunningLocalnet,
  startKeyslot,
  startLocalnet,
} from '../../support/keyslot.ts';

const LOSSES = rounds(100);

let localnet: RunningLocalnet;
let toNode: CutProxy;
let keyslot: RunningKeyslot;
let toServer: CutProxy;
let client: StreamClient;

beforeAll(async () => {
  localnet = await startLocalnet({ args: ['--slot-ms', '40'] });
  toNode = await startCutProxy(Number(new URL(localnet.rpcUrl).port));
  keyslot = await startKeyslot({
    env: { KEYSLOT_UPSTREAM_URL: `http://127.0.0.1:${toNode.port}`, KEYSLOT_STREAM_POLL_MS: '20' },
  });
  toServer = await startCutProxy(Number(new URL(keyslot.grpcUrl).port));
  client = createStreamClient({
    url: `http://127.0.0.1:${toServer.port}`,
    apiKey: keyslot.apiKey,
    maxPauseMs: 100,
  });
});

afterAll(async () => {
  client?.close();
  await toServer?.close();
  await keyslot?.stop();
  await toNode?.close();
  await localnet?.stop();
});

const rpc = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(localnet.rpcUrl, { method: 'POST', headers, body });
  return ((await answer.json()) as { readonly result: T }).result;
};

/** Reads a topic until the slot that `until` gives; what `pick` makes of each message. */
async function record<M extends { readonly slot: bigint }>(
  stream: AsyncIterable<M>,
  until: () => number,
  pick: (message: M) => string,
  onFirst: () => void,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const message of stream) {
    onFirst();
    if (message.slot > until()) break;
    seen.push(pick(message));
  }
  return seen;
}

it(`${LOSSES} losses of the node and ${LOSSES} of the client's connection leave no hole, no duplicate and no disorder`, async () => {
  let lastSlot = Number.POSITIVE_INFINITY;
  let reconnects = 0;
  const onReconnect = (): void => void reconnects++;
  const startSlot = await rpc<number>('getSlot', { commitment: 'confirmed' });
  const from = { resumeSlot: BigInt(startSlot), onReconnect };
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const records = Promise.all([
    record(
      client.subscribe('slots', from),
      () => lastSlot,
      ({ slot }) => `${slot}`,
      begun[0].resolve,
    ),
    record(
      client.subscribe('transactions', from),
      () => lastSlot,
      ({ slot, index, signature }) => `${slot} ${index} ${signature}`,
      begun[1].resolve,
    ),
  ]);
  await rpc('requestAirdrop', `${'1'.repeat(31)}2`, 1_000_000);
  await Promise.all(begun.map(({ promise }) => promise));
  for (let loss = 0; loss < LOSSES; loss++) {
    const sent = Array.from({ length: 5 }, (_, index) =>
      rpc('requestAirdrop', `${'1'.repeat(31)}${'23456'[index]}`, 1_000_010 + 10 * loss + index),
    );
    await Promise.all(sent);
    toNode.isDown = loss % 2 === 0;
    toNode.cut();
    if (loss % 3 === 0) await pause(60);
    toServer.cut();
    await pause(30);
    toNode.isDown = false;
  }
  const endSlot = await rpc<number>('getSlot', { commitment: 'confirmed' });
  lastSlot = endSlot;
  for (let index = 0; index < 5; index++)
    await rpc('requestAirdrop', `${'1'.repeat(31)}2`, 2_000_000 + index);
  await Promise.race([records, keepFlowing()]);
  const [slots, transactions] = await records;
  const blocks = await rpc<readonly number[]>('getBlocks', startSlot + 1, endSlot, {
    commitment: 'confirmed',
  });
  expect(slots).toEqual(blocks.map(String));
  const expected: string[] = [];
  for (const slot of blocks) {
    const block = await rpc<{ readonly signatures: readonly string[] }>('getBlock', slot, {
      commitment: 'confirmed',
      transactionDetails: 'signatures',
      rewards: false,
    });
    expected.push(...block.signatures.map((signature, index) => `${slot} ${index} ${signature}`));
  }
  expect(transactions).toEqual(expected);
  expect(expected.length).toBeGreaterThan(LOSSES);
  expect(reconnects).toBeGreaterThan(LOSSES / 2);
});

/** Transactions continue, so that the last slot is followed by another one on every topic. */
async function keepFlowing(): Promise<void> {
  for (let index = 0; index < 1_000; index++) {
    await rpc('requestAirdrop', `${'1'.repeat(31)}2`, 3_000_000 + index);
    await pause(50);
  }
}

/** The pauses of grpc-js itself, 1 s at first and 1.6 times as long each time, would continue for longer than this after the loss. */
const AWAY_MS = 3_000;
const BACK_MS = 1_000;

it('a server that was away for a while is found again within the longest pause', async () => {
  const messages = client.subscribe('slots');
  await messages.next();
  toServer.isDown = true;
  toServer.cut();
  const lostAtMs = performance.now();
  const next = (async () => {
    for (;;) {
      await messages.next();
      if (!toServer.isDown) return performance.now();
    }
  })();
  await pause(AWAY_MS - (performance.now() - lostAtMs));
  toServer.isDown = false;
  const backAtMs = performance.now();
  expect((await next) - backAtMs).toBeLessThan(BACK_MS);
  await messages.return(undefined);
});
