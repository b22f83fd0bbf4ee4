import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLedgerNode, type LedgerNode } from '../../../src/gateway/streams/ledger-node.ts';
import { connectNode, wrapUpstream } from '../../../src/gateway/nodes/open-upstream.ts';
import type { Upstream } from '../../../src/gateway/nodes/upstream.ts';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from '../../server/scripted-node.ts';
import { BLOCK_JSON } from './a-block.ts';

const MAX_BLOCK_BYTES = 1024 * 1024;

let scripted: ScriptedNode;
let upstream: Upstream;
let node: LedgerNode;

beforeEach(async () => {
  scripted = await startScriptedNode();
  const options = { connections: 4, connectTimeoutMs: 500, bodyTimeoutMs: 2_000 };
  const nodes = connectNode(scripted.url, options);
  upstream = wrapUpstream(nodes, { responseTimeoutMs: 2_000, onRetry: () => undefined });
  node = createLedgerNode(upstream, MAX_BLOCK_BYTES);
});

afterEach(async () => {
  await upstream.close();
  await scripted.close();
});

const asked = (): unknown => {
  const { method, params } = JSON.parse(scripted.seen.at(-1)?.body ?? '{}');
  return { method, params };
};

it('asks at confirmed for what follows, and for whole blocks of every version', async () => {
  scripted.play(echoResult('[101,103]'));
  expect(await node.slotsFrom(101n, 16)).toEqual([101n, 103n]);
  expect(asked()).toEqual({ method: 'getBlocksWithLimit', params: [101, 16, { commitment: 'confirmed' }] });
  scripted.play(echoResult(BLOCK_JSON.replaceAll('\n', '')));
  const block = await node.block(348n, 400n);
  expect(block).toMatchObject({ slot: 348n, parentSlot: 346n, rootSlot: 348n });
  expect(block.transactions()).toHaveLength(2);
  expect(asked()).toEqual({
    method: 'getBlock',
    params: [
      348,
      {
        commitment: 'confirmed',
        encoding: 'base64',
        transactionDetails: 'full',
        rewards: true,
        maxSupportedTransactionVersion: 1,
      },
    ],
  });
});

it('reads a block that comes as a stream', async () => {
  const padded = BLOCK_JSON.replace('Program log: hi', 'x'.repeat(500_000)).replaceAll('\n', '');
  scripted.play(echoResult(padded));
  const block = await node.block(348n, 300n);
  expect(block.transactions()[0]?.logs[0]).toHaveLength(500_000);
  expect(block.sizeBytes).toBeGreaterThan(500_000);
});

describe('what goes wrong at the node', () => {
  it('a block beyond the bound is not read to its end', async () => {
    scripted.play(echoResult(`{"x":"${'x'.repeat(MAX_BLOCK_BYTES)}"}`));
    await expect(node.block(1n, 0n)).rejects.toMatchObject({ code: 'replyTooLarge' });
    scripted.play(echoResult('5'));
    expect(await node.confirmedSlot()).toBe(5n);
  });

  it.each([
    [-32001, true],
    [-32007, true],
    [-32009, true],
    [-32011, true],
    [-32004, false],
  ])('the refusal %i: gone for good is %s', async (code, isFinal) => {
    scripted.play((response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":0,"error":{"code":${code},"message":"no"}}`),
    );
    await expect(node.block(1n, 0n)).rejects.toMatchObject({ name: 'NodeRefusal', code, isFinal });
  });

  it.each(['"text"', '-0.5', 'null', '{}'])('the slot %s is no slot', async (result) => {
    scripted.play(echoResult(result));
    await expect(node.confirmedSlot()).rejects.toMatchObject({ code: 'upstreamBroken' });
    await expect(node.slotsFrom(1n, 1)).rejects.toMatchObject({ code: 'upstreamBroken' });
    await expect(node.block(1n, 0n)).rejects.toMatchObject({ code: 'upstreamBroken' });
  });

  it('a body that is no JSON', async () => {
    scripted.play((response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":0,"result":[${'1,'.repeat(50_000)}`),
    );
    await expect(node.slotsFrom(1n, 1)).rejects.toMatchObject({ code: 'upstreamBroken' });
  });
});
