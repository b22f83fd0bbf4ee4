import { beforeEach, describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../generated/ledger/examples.ts';
import type { MethodName } from '../../generated/ledger/methods.ts';
import { stringifyJson } from '../../src/core/rpc/json.ts';
import { eventually } from '../../src/core/eventually.ts';
import { NodeRefusal, type ScriptedPubsub, startScriptedPubsub } from '../support/scripted-pubsub.ts';
import { openSocket } from '../support/socket-client.ts';
import { startScriptedNode } from './scripted-node.ts';
import { type Gateway, post } from './start-gateway.ts';
import { callText, useDriftGateway } from './use-drift-gateway.ts';

const { closing, lines, open } = useDriftGateway();

/** The findings, once there are `count` names. */
function found({ drift }: Gateway, count: number) {
  return eventually(
    `${count} findings`,
    () => {
      const all = drift.snapshot();
      return all.length >= count ? all : undefined;
    },
    { intervalMs: 5 },
  );
}

/** Resolves once this number of samples was checked. */
function checked({ metrics }: Gateway, count: number): Promise<true> {
  const read = async (): Promise<true | undefined> => {
    const text = await metrics.registry.getSingleMetricAsString('keyslot_drift_samples_total');
    const value = /outcome="checked"\} (\d+)/.exec(text)?.[1] ?? '0';
    return Number(value) >= count ? true : undefined;
  };
  return eventually(`${count} samples are checked`, read, { intervalMs: 5 });
}

/** The first result of an example whose text matches, as data of its own. */
function exampleOf(method: MethodName, pattern: RegExp): object {
  for (const example of EXAMPLES[method]) {
    const text = 'result' in example ? stringifyJson(example.result) : '';
    if (pattern.test(text)) return JSON.parse(text) as object;
  }
  throw new Error(`no example of ${method}`);
}

describe('a node of tomorrow', () => {
  let node: ScriptedPubsub;

  beforeEach(async () => {
    node = await startScriptedPubsub();
    closing.push(() => node.close());
  });

  test('what it answers beyond the specification is listed, counted and logged once with its version; clients get its bytes', async () => {
    const block = exampleOf('getBlock', /"meta":\{/) as { transactions: readonly { meta: object }[] };
    const transactions = Array.from({ length: 200 }, () => block.transactions[0]).map((transaction) => ({
      ...transaction,
      meta: { ...transaction?.meta, newMember: 1 },
    }));
    node.answers.getBlock = { ...block, transactions };
    node.answers.getTransaction = { ...exampleOf('getTransaction', /"meta":\{/), version: 2 };
    node.answers.getSignatureStatuses = {
      context: { slot: 5, apiVersion: '5.0.0' },
      value: [{ slot: 5, confirmations: 0, status: { Ok: null }, err: null, confirmationStatus: 'instant' }],
    };
    node.answers.getBlockTime = new NodeRefusal(-32095, 'Block time is sealed');
    const gateway = await open(node.url);
    const signature =
      '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ['getBlock', [5, { maxSupportedTransactionVersion: 2 }]],
      ['getTransaction', [signature, { maxSupportedTransactionVersion: 2 }]],
      ['getSignatureStatuses', [[signature]]],
      ['getBlockTime', [5]],
      ['getShreds', []],
    ];
    for (let round = 0; round < 2; round++)
      for (const [method, params] of calls) await callText(gateway, method, params);
    const streamed = await callText(gateway, 'getBlock', [5, { maxSupportedTransactionVersion: 2 }]);
    expect(streamed.length).toBeGreaterThan(64 * 1024);
    expect(streamed).toBe(JSON.stringify({ jsonrpc: '2.0', result: node.answers.getBlock, id: 1 }));

    const all = await found(gateway, 4);
    const told = all.map((each) => `${each.node} ${each.kind} ${each.name}`);
    expect(told.toSorted()).toEqual([
      'node-1 errorCode getBlockTime error -32095',
      'node-1 member getBlock.result.transactions[].meta.newMember',
      'node-1 version getTransaction.result.version 2',
      'node-1 word getSignatureStatuses.result.value[].confirmationStatus instant',
    ]);
    expect(all.every(({ count, firstSeenMs }) => count >= 1 && Date.now() - firstSeenMs < 60_000)).toBe(true);

    const text = await gateway.metrics.registry.getSingleMetricAsString('keyslot_drift_total');
    expect(text).toMatch(
      /keyslot_drift_total\{network="solana-localnet",node="node-1",kind="version",name="getTransaction.result.version 2"\} [1-9]/,
    );
    expect(text).not.toContain('getShreds');
    expect(gateway.drift.unknownMethods()).toMatchObject([{ name: 'getShreds', count: 2 }]);

    const byNode = lines.filter(
      ({ msg }) => msg === 'a ledger node answers what the specification does not know',
    );
    expect(byNode.map(({ name }) => name).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
    for (const line of byNode)
      expect(line).toMatchObject({ network: 'solana-localnet', node: 'node-1', version: '5.0.0' });
    expect(lines).toHaveLength(byNode.length);
  });

  test('another version of the node is reported again', async () => {
    let version = '5.0.0';
    node.answers.getVersion = { 'solana-core': '5', 'feature-set': 1, client: 'new' };
    node.answers.getHealth = 'fine';
    const gateway = await open(node.url, { nodeVersion: () => version });
    await callText(gateway, 'getVersion');
    await callText(gateway, 'getHealth');
    await found(gateway, 2);
    version = '5.1.0';
    await eventually(
      'it was looked at again',
      async () => {
        await callText(gateway, 'getVersion');
        return lines.some((line) => line.version === '5.1.0') || undefined;
      },
      { intervalMs: 5 },
    );
    const told = lines.filter(({ name }) => name === 'getVersion.result.client');
    expect(told.map((line) => line.version)).toEqual(['5.0.0', '5.1.0']);
  });

  test('its notifications are looked at, those of a name that is new too', async () => {
    const gateway = await open(node.url);
    const client = await openSocket(gateway.wsUrl);
    closing.push(() => client.close());
    await client.call('accountSubscribe', ['EHv7fYD9vE2XFxdVKbU3VTuUPy7PXogzrmC8vhJDroUC']);
    const account = { lamports: 1, data: '', owner: '11111111111111111111111111111111', executable: false };
    const value = { ...account, rentEpoch: 0, space: 0, rentPaid: true };
    node.notify('accountSubscribe', { context: { slot: node.slot }, value });
    node.sendText('{"jsonrpc":"2.0","method":"shredNotification","params":{"result":1,"subscription":99}}');
    expect(JSON.stringify(await client.next())).toContain('"rentPaid":true');
    const all = await found(gateway, 2);
    expect(all.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
      'member accountNotification.params.result.value.rentPaid',
      'notification shredNotification',
    ]);
  });

  test('a node that answers by ever new names makes neither memory nor log grow', async () => {
    let call = 0;
    node.answers.getVersion = () => {
      const names = Array.from({ length: 90 }, (_, at) => [`new${call}x${at}`, 1]);
      call += 1;
      return { 'solana-core': '5', 'feature-set': 1, ...Object.fromEntries(names) };
    };
    const gateway = await open(node.url);
    await eventually(
      'there is no room for another name',
      async () => {
        await callText(gateway, 'getVersion');
        await callText(gateway, 'getHealth');
        return gateway.drift.snapshot().find(({ name }) => name === 'other');
      },
      { intervalMs: 5 },
    );
    expect(gateway.drift.snapshot().length).toBeLessThanOrEqual(107);
    expect(lines.length).toBeLessThanOrEqual(107);
  });
});

test('a batch is looked at call by call', async () => {
  const node = await startScriptedNode((response, { body }) => {
    const calls = JSON.parse(body) as { id: number; method: string } | { id: number; method: string }[];
    const reply = ({ id, method }: { id: number; method: string }) => ({
      jsonrpc: '2.0',
      id,
      result: method === 'getSlot' ? 'five' : 5,
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(reply).reverse() : reply(calls)));
  });
  closing.push(() => node.close());
  const gateway = await open(node.url);
  const batch = ['getBlockHeight', 'getSlot'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
  const response = await post(gateway.rpcUrl, JSON.stringify(batch));
  expect(await response.json()).toMatchObject([{ result: 5 }, { result: 'five' }]);
  expect(node.seen).toHaveLength(1);
  expect((await found(gateway, 1)).map(({ name }) => name)).toEqual(['getSlot.result is a string']);
});

test('nothing is found in what a node of today answers, subscriptions and batches included', async () => {
  const node = await startScriptedPubsub();
  closing.push(() => node.close());
  for (const method of ['getVersion', 'getEpochInfo', 'getBlock', 'getSupply'] as const)
    node.answers[method] = exampleOf(method, /./);
  const gateway = await open(node.url);
  const client = await openSocket(gateway.wsUrl);
  closing.push(() => client.close());
  await client.call('slotSubscribe');
  await client.next();
  for (const [method, params] of [
    ['getVersion', []],
    ['getEpochInfo', []],
    ['getBlock', [5]],
    ['getSupply', []],
  ] as const)
    await callText(gateway, method, params);
  await checked(gateway, 6);
  expect(gateway.drift.snapshot()).toEqual([]);
  expect(lines).toEqual([]);
});

test('with no samples a minute nothing that a node answers is looked at', async () => {
  const node = await startScriptedNode();
  closing.push(() => node.close());
  node.play((response, { body }) => {
    response.setHeader('content-type', 'application/json');
    response.end(`{"jsonrpc":"2.0","result":5,"more":1,"id":${(JSON.parse(body) as { id: number }).id}}`);
  });
  const gateway = await open(node.url, { driftSamplesPerMinute: 0 });
  for (let call = 0; call < 5; call++) await callText(gateway, 'getSlot');
  expect(gateway.drift.snapshot()).toEqual([]);
  expect(await gateway.metrics.registry.getSingleMetricAsString('keyslot_drift_samples_total')).not.toContain(
    '{',
  );
});
