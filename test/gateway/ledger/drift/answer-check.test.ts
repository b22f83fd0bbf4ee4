import { expect, test } from 'vitest';
import { changed, check, found, foundInError, type Part, set } from './found-in.ts';
import { SHOWN } from './spec-examples.ts';

test('an unknown member is found by its path, whatever the encoding', () => {
  const blocks = SHOWN.filter(
    ({ name, value }) => name === 'getBlock' && JSON.stringify(value).includes('"meta":{'),
  );
  expect(blocks.length).toBeGreaterThan(5);
  for (const { value } of blocks) {
    const { transactions } = structuredClone(value) as { readonly transactions: readonly { meta: Part }[] };
    for (const { meta } of transactions) set('newMember', 1)(meta);
    expect(found('getBlock', { ...(value as object), transactions })).toEqual([
      'member: getBlock.result.transactions[].meta.newMember',
    ]);
  }
});

test('a member that is new in one of many items is found, and once', () => {
  const block = changed('getBlock', 'transactions/0', () => undefined) as { transactions: readonly Part[] };
  const transactions = Array.from({ length: 50 }, () => structuredClone(block.transactions[0] ?? {}));
  for (const at of [30, 49]) set('newMember', {})(transactions[at] ?? {});
  expect(found('getBlock', { ...block, transactions })).toEqual([
    'member: getBlock.result.transactions[].newMember',
  ]);
});

test('members of a map and of free parts are no members of the specification', () => {
  const production = changed('getBlockProduction', 'value/byIdentity', set('newIdentity', [4, 4]));
  expect(found('getBlockProduction', production)).toEqual([]);
  const tuple = changed('getBlockProduction', 'value/byIdentity', set('newIdentity', [4, 4, 4]));
  expect(found('getBlockProduction', tuple)).toEqual([
    'member: getBlockProduction.result.value.byIdentity{}[2]',
  ]);
});

test('a version of transactions that the specification does not describe is found; legacy, 0 and 1 are known', () => {
  const ofVersion = (version: unknown) =>
    found('getTransaction', changed('getTransaction', '', set('version', version)));
  expect(['legacy', 0, 1].map(ofVersion)).toEqual([[], [], []]);
  expect(ofVersion(2)).toEqual(['version: getTransaction.result.version 2']);
  expect(ofVersion('v2')).toEqual(['word: getTransaction.result.version v2']);
});

test.each([
  ['getBlock', 'rewards/0', 'rewardType', 'NewReward', 'getBlock.result.rewards[].rewardType NewReward'],
  ['getTransaction', 'meta', 'err', 'NewError', 'getTransaction.result.meta.err NewError'],
  [
    'getSignatureStatuses',
    'value/0',
    'confirmationStatus',
    'rooted',
    'getSignatureStatuses.result.value[].confirmationStatus rooted',
  ],
])('a word that is not listed is found: %s %s %s', (method, path, name, word, told) => {
  expect(found(method, changed(method, path, set(name, word)))).toEqual([`word: ${told}`]);
});

test('a wrong JSON type of a known member is found; what is missing is not told', () => {
  const head = 'getEpochInfo.result';
  const epoch = {
    epoch: '1',
    slotIndex: 1.5,
    slotsInEpoch: null,
    absoluteSlot: [],
    blockHeight: {},
    transactionCount: true,
  };
  expect(found('getEpochInfo', epoch)).toEqual([
    `type: ${head}.epoch is a string`,
    `type: ${head}.slotIndex is a fraction`,
    `type: ${head}.slotsInEpoch is null`,
    `type: ${head}.absoluteSlot is an array`,
    `type: ${head}.blockHeight is an object`,
    `type: ${head}.transactionCount is a boolean`,
  ]);
  expect(found('getEpochInfo', {})).toEqual([]);
  expect(found('getSlot', { slot: 1 })).toEqual(['type: getSlot.result is an object']);
});

test('an unknown error code is found; the codes of nodes are known, those of gateways are not', () => {
  const known = [
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
    ...Array.from({ length: 21 }, (_, at) => -32001 - at),
  ];
  for (const code of known) expect(foundInError('getBlock', { code, message: 'no' })).toEqual([]);
  for (const code of [-32095, -32099, -32070, 17])
    expect(foundInError('getBlock', { code, message: 'no' })).toEqual([`errorCode: getBlock error ${code}`]);
  expect(foundInError('getBlock', { code: 1e300, message: 'no' })).toEqual(['errorCode: getBlock error *']);
  expect(foundInError('getBlock', { code: 'E1', message: 'no' })).toEqual([
    'type: getBlock.error.code is a string',
  ]);
});

test('the data of a failed preflight is held against its schema, other data is free', () => {
  const data = { err: 'AccountNotFound', logs: [], newMember: 1 };
  expect(foundInError('sendTransaction', { code: -32002, message: 'no', data })).toEqual([
    'member: sendTransaction.error.data.newMember',
  ]);
  expect(foundInError('sendTransaction', { code: -32602, message: 'no', data })).toEqual([]);
  expect(foundInError('getHealth', { code: -32005, message: 'no', data: { numSlotsBehind: 42 } })).toEqual(
    [],
  );
});

test('members of the reply itself are found too', () => {
  const reply = { jsonrpc: '2.0', id: 1, result: 5, usage: { credits: 1 } };
  expect(check.reply('getSlot', reply)).toEqual([{ kind: 'member', name: 'getSlot.usage' }]);
  expect(check.reply('getSlot', 'text')).toEqual([{ kind: 'type', name: 'getSlot is a string' }]);
  expect(check.reply('getNothing', { jsonrpc: '2.0', id: 1, result: 5 })).toEqual([]);
});

test('the replies to a batch belong to the methods of their ids, in whatever order they come', () => {
  const calls = [
    { id: 1, method: 'getSlot' },
    { id: 'b', method: 'getVersion' },
    { id: 3, method: 'getBalance' },
  ];
  const replies = [
    { jsonrpc: '2.0', id: 3, error: { code: -32099, message: '' } },
    { jsonrpc: '2.0', id: 'b', result: { 'solana-core': '5.0.0', 'feature-set': 1, client: 'new' } },
    { jsonrpc: '2.0', id: 1, result: 'five' },
    { jsonrpc: '2.0', id: 4, result: {} },
    null,
  ];
  expect(check.batch(calls, replies).map(({ name }) => name)).toEqual([
    'getBalance error -32099',
    'getVersion.result.client',
    'getSlot.result is a string',
  ]);
  expect(check.batch('?', replies)).toEqual([]);
  expect(check.batch(calls, { error: 1 })).toEqual([]);
});

test('notifications are found by their names, and held against what they tell', () => {
  const slot = { slot: 5, parent: 4, root: 1, newMember: 1 };
  const message = { jsonrpc: '2.0', method: 'slotNotification', params: { result: slot, subscription: 7 } };
  expect(check.notification(message)).toEqual([
    { kind: 'member', name: 'slotNotification.params.result.newMember' },
  ]);
  expect(check.notification({ ...message, method: 'shredNotification' })).toEqual([
    { kind: 'notification', name: 'shredNotification' },
  ]);
  const update = { type: 'newUpdate', slot: 5, timestamp: 1, more: {} };
  const told = {
    jsonrpc: '2.0',
    method: 'slotsUpdatesNotification',
    params: { result: update, subscription: 7 },
  };
  expect(check.notification(told)).toEqual([
    { kind: 'word', name: 'slotsUpdatesNotification.params.result.type newUpdate' },
  ]);
  const gap = { subscriptions: [7], fromSlot: 1, toSlot: 2 };
  expect(check.notification({ jsonrpc: '2.0', method: 'gapNotification', params: gap })).toEqual([]);
  expect(check.notification({ method: 5 })).toEqual([]);
  expect(check.notification(null)).toEqual([]);
});

test('names hold nothing but names: values, long texts and texts with other characters are a star', () => {
  const names = [
    'EHv7fYD9vE2XFxdVKbU3VTuUPy7PXogzrmC8vhJDroUC',
    '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6',
    'n'.repeat(65),
    'two words',
    'line\nbreak',
    'quote"',
    '1st',
    '',
    'ünknown',
  ];
  for (const name of names) {
    expect(found('getSlot', 5)).toEqual([]);
    expect(found('getVersion', { 'solana-core': '1', 'feature-set': 1, [name]: 1 })).toEqual([
      'member: getVersion.result.*',
    ]);
    expect(found('getTransaction', changed('getTransaction', 'meta', set('err', name)))).toEqual([
      'word: getTransaction.result.meta.err *',
    ]);
  }
  const kept = ['na'.repeat(32), 'solana-cores', 'base64+zstd', '__proto__x', 'constructor'];
  for (const name of kept)
    expect(found('getVersion', { 'solana-core': '1', 'feature-set': 1, [name]: 1 })).toEqual([
      `member: getVersion.result.${name}`,
    ]);
});

test('an answer that is wrong everywhere is told by 300 names at most, one that is deep does no harm', () => {
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`member${at}`, at]));
  expect(found('getVersion', wide).length).toBeLessThanOrEqual(300);
  let deep: unknown = 1;
  for (let depth = 0; depth < 20_000; depth++) deep = [deep];
  expect(found('getBlock', deep)).toEqual(['type: getBlock.result is an array']);
  expect(() => found('getProgramAccounts', { context: deep, value: deep })).not.toThrow();
});
