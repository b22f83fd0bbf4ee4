import {
  createSolanaRpc,
  decodeTransactionFromRpcResponse,
  getSignatureFromTransaction,
  signature,
} from '@solana/kit';
import { Connection as EarlierConnection } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from 'web3js-1.99';
import { EXAMPLES } from '../../../generated/ledger/examples.ts';
import { METHODS, type MethodName } from '../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS, UNSUBSCRIBES } from '../../../generated/ledger/subscriptions.ts';
import type { Case } from '../../../runtime/contract-case.ts';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { compare, readEnvelope, parseStrictJson } from '../../../src/devkit/contract/check-reply.ts';
import { judgeResult } from '../../../src/devkit/contract/runner.ts';
import { printJson } from '../../../runtime/json.ts';
import { post } from '../../../src/devkit/contract/json-rpc.ts';
import { type RunningMock, startMock } from '../../support/keyslot.ts';

let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

const names = Object.keys(METHODS) as MethodName[];

async function ask(method: string, params: unknown, id: unknown = 1) {
  const { status, text } = await post(mock, { jsonrpc: '2.0', id, method, params });
  const envelope = readEnvelope(status, text, id);
  if (!('kind' in envelope)) throw new Error(envelope.join('\n'));
  return envelope;
}

describe.each(names)('%s', (method) => {
  test('has a result, and each result it answers fits its schema', async () => {
    const results = EXAMPLES[method].filter((example) => 'result' in example);
    expect(results.length).toBeGreaterThan(0);
    for (const { params } of results) {
      const envelope = await ask(method, params);
      expect(envelope.kind === 'result' && judgeResult(method, envelope.result)).toEqual([]);
    }
  });

  test('answers the first of the examples that have the same params', async () => {
    if (method === 'rpc.discover') return;
    for (const example of EXAMPLES[method]) {
      const first = EXAMPLES[method].find(({ params }) => printJson(params) === printJson(example.params));
      const envelope = await ask(method, example.params);
      if (first !== undefined && 'result' in first)
        expect(envelope).toEqual({ kind: 'result', result: parseStrictJson(printJson(first.result)) });
      else expect(envelope).toMatchObject({ kind: 'error', error: { code: expect.any(Number) } });
    }
  });

  /** Cases that are refused whatever the ledger holds: the params are refused before it is asked. */
  const refused = CONTRACT[method].cases.filter(
    ({ params, expect: { kind } }) => kind === 'error' && !printJson(params).includes('"$'),
  );
  const isTold = (item: Case): boolean =>
    EXAMPLES[method].some(({ params }) => printJson(params) === printJson(item.params));

  test('refuses what the specification refuses, in its words', async () => {
    for (const item of refused.filter((each) => !isTold(each))) {
      const problems = compare(await ask(item.method, item.params), item.expect);
      expect([item.name, problems]).toEqual([item.name, []]);
    }
  });
});

test('other params are answered by the first example that has a result', async () => {
  const envelope = await ask('getBalance', ['SysvarC1ock11111111111111111111111111111111'], 'an id');
  expect(envelope).toEqual({ kind: 'result', result: await firstResult('getBalance') });
});

test('a null where nothing need be given, and the order of members, make no other call of it', async () => {
  const [slots] = EXAMPLES.getSlot;
  expect(await ask('getSlot', [null])).toEqual({
    kind: 'result',
    result: slots && 'result' in slots && slots.result,
  });
  const told = EXAMPLES.getBlock.find(({ params }) =>
    printJson(params).includes('maxSupportedTransactionVersion'),
  );
  const [slot, config] = told?.params ?? [];
  const turned = Object.fromEntries(Object.entries({ rewards: null, ...(config as object) }).reverse());
  expect(await ask('getBlock', [slot, turned])).toEqual({
    kind: 'result',
    result: told && 'result' in told && parseStrictJson(printJson(told.result)),
  });
});

test('an error of the ledger is told with its text and data', async () => {
  expect(await ask('getBlock', [9223372036854775807n])).toMatchObject({
    error: { code: -32004, message: 'Block not available for slot 9223372036854775807' },
  });
  expect(await ask('getSlot', [{ minContextSlot: 9223372036854775807n }])).toMatchObject({
    error: { code: -32016, data: { contextSlot: 348 } },
  });
});

test('a preflight that fails tells what the simulation did, as the specification says of its data', async () => {
  const failing = CONTRACT.sendTransaction.cases.find(({ name }) => name.includes('blockhash unknown'));
  const envelope = await ask('sendTransaction', failing?.params);
  expect(envelope).toMatchObject({
    kind: 'error',
    error: { code: -32002, data: { err: 'BlockhashNotFound' } },
  });
  const value = envelope.kind === 'error' ? envelope.error.data : undefined;
  const context = { slot: 348, apiVersion: '4.2.0' };
  expect(judgeResult('simulateTransaction', { context, value })).toEqual([]);
});

test('kit and web3.js read version 1 from it, but for web3.js 1.98, which is refused', async () => {
  const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const;
  const example = EXAMPLES.getTransaction.find(
    ({ params }) => printJson(params[1] ?? null) === printJson(config),
  );
  const id = signature(String(example?.params[0]));
  const rpc = createSolanaRpc(mock.rpcUrl);
  const found = await rpc.getTransaction(id, { ...config, encoding: 'base64' }).send();
  if (found === null) throw new Error('no example');
  const { compiledMessage, transaction } = decodeTransactionFromRpcResponse(found);
  expect(getSignatureFromTransaction(transaction)).toBe(id);
  const connection = new Connection(mock.rpcUrl, 'confirmed');
  const read = await connection.getTransaction(id, config);
  expect(read?.transaction.message.staticAccountKeys.map(String)).toEqual(compiledMessage.staticAccounts);
  expect(read?.transaction.message).toMatchObject({
    transactionConfig: { priorityFee: 1000, heapSize: null },
  });
  const block = await connection.getBlock(Number(found.slot), config);
  expect(block?.transactions).toMatchObject([{ version: 1, transaction: { signatures: [id] } }]);
  const refusal = new EarlierConnection(mock.rpcUrl, 'confirmed').getTransaction(id, {
    maxSupportedTransactionVersion: 0,
  });
  await expect(refusal).rejects.toMatchObject({ code: -32015 });
});

test('an unknown method, a message that is no call, and a batch are answered as by a node', async () => {
  expect(await ask('getNothing', [])).toMatchObject({ error: { code: -32601, message: 'Method not found' } });
  const invalid = await post(mock, '{"jsonrpc":"2.0","id":7}');
  expect(JSON.parse(invalid.text)).toMatchObject({ id: 7, error: { code: -32600 } });
  const batch = await post(
    mock,
    '[{"jsonrpc":"2.0","id":2,"method":"getHealth"},{"jsonrpc":"2.0","id":"b","method":"no"}]',
  );
  expect(JSON.parse(batch.text)).toMatchObject([
    { id: 2, result: 'ok' },
    { id: 'b', error: { code: -32601 } },
  ]);
});

test('rpc.discover answers the whole document, subscriptions and the address of the mock too', async () => {
  const envelope = await ask('rpc.discover', []);
  const { methods, servers } = (envelope.kind === 'result' ? envelope.result : {}) as {
    methods: { name: string }[];
    servers: { url: string }[];
  };
  expect(servers.map(({ url }) => url)).toEqual([
    `${new URL(mock.rpcUrl).origin}/solana-localnet?apikey={apikey}`,
  ]);
  const calls = [...names, ...Object.keys(SUBSCRIPTIONS), ...Object.keys(UNSUBSCRIBES)];
  expect(methods.map(({ name }) => name).sort()).toEqual(calls.sort());
});

async function firstResult(method: MethodName): Promise<unknown> {
  const first = EXAMPLES[method].find((example) => 'result' in example);
  return first && 'result' in first ? parseStrictJson(printJson(first.result)) : undefined;
}
