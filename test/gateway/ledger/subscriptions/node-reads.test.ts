import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serviceError } from '../../../../src/core/service-error.ts';
import { standStill } from '../../../support/stand-still.ts';
import { type AskedNode, readSlot } from '../../../../src/gateway/ledger/subscriptions/node-reads.ts';

/** A node whose first connections fail; `isCurrent` is asked after each call. */
function nodeAfter(failures: number, isCurrent = (): boolean => true) {
  const asked: string[] = [];
  const node: AskedNode = {
    isCurrent,
    limitMs: 10_000,
    pace: { slotsIn: () => undefined },
    upstream: {
      send: async ({ method }) => {
        asked.push(method);
        if (asked.length <= failures) throw serviceError('upstreamBroken', {}, new Error('write ECONNRESET'));
        return { kind: 'whole', isError: false, body: Buffer.from('{"jsonrpc":"2.0","result":7,"id":1}') };
      },
      close: async () => undefined,
    },
  };
  return { node, asked };
}

test('a node whose connections fail one after the other is read, so that nothing is left out for it', async () => {
  const { node, asked } = nodeAfter(3);
  expect(await readSlot(node, 'confirmed')).toBe(7);
  expect(asked).toHaveLength(4);
});

test('an answer that came while this process stood still is read, so that nothing is left out for it', async () => {
  const { node } = nodeAfter(0);
  const limitMs = 40;
  const late: AskedNode = {
    ...node,
    limitMs,
    upstream: {
      ...node.upstream,
      send: async (request) => {
        const coming = stat('.');
        standStill(10 * limitMs);
        await Promise.race([coming, new Promise((_, reject) => void request.signal.onAbort(reject))]);
        return await node.upstream.send(request);
      },
    },
  };
  // Timers are due before what has come is read.
  await setImmediate();
  expect(await readSlot(late, 'confirmed')).toBe(7);
});

test('four failures are told, and one is where the node was lost meanwhile', async () => {
  const failing = nodeAfter(4);
  await expect(readSlot(failing.node, 'confirmed')).rejects.toMatchObject({ code: 'upstreamBroken' });
  expect(failing.asked).toHaveLength(4);
  const lost = nodeAfter(1, () => false);
  await expect(readSlot(lost.node, 'confirmed')).rejects.toMatchObject({ code: 'upstreamBroken' });
  expect(lost.asked).toHaveLength(1);
});
