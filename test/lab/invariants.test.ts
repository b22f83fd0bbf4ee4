import { expect, onTestFinished, test } from 'vitest';
import { judgeRecords } from './checks/judge-audit.ts';
import { judgeCharges, judgeSends } from './checks/settle-run.ts';
import { judgeShown } from './checks/settle-wallets.ts';
import { readOnce } from './clients/http-client.ts';
import { HeardSlots } from './clients/socket-client.ts';
import { judgeStream } from './clients/stream-client.ts';
import { newWalletBook } from './clients/wallets/wallet-book.ts';
import { destroyOne, tryDestroyed } from './clients/wallets/destroy-steps.ts';
import { ADDRESS, type ReadStep } from './clients/read-step.ts';
import type { LabGateway } from './gateways/lab-gateway.ts';
import { ChainServer } from './nodes/chain-server.ts';
import { brokenOf, clientDeps, gatewayAt, newFindings, type Scripted, serve } from './lab-deps.ts';

const READ: ReadStep = {
  method: 'getBalance',
  commitment: 'confirmed',
  params: [ADDRESS, { commitment: 'confirmed' }],
};

const balance = (slot: number, value: number = slot) => ({
  body: { jsonrpc: '2.0', id: 1, result: { context: { slot }, value } },
});

async function readTwice(...answers: readonly Scripted[]) {
  const gateway = gatewayAt(await serve(...answers));
  const deps = clientDeps(gateway);
  const shown = new Map();
  for (let read = 0; read < 2; read++) await readOnce(deps, gateway, { name: 'http-1', step: READ, shown });
  return brokenOf(deps.findings);
}

test('a gateway that says the truth breaks nothing', async () => {
  expect(await readTwice(balance(100), balance(101))).toEqual([]);
});

test('failed_read: an undisturbed gateway answers a read with an error', async () => {
  const error = { code: -32_603, message: 'Internal error' };
  expect(await readTwice(balance(100), { body: { jsonrpc: '2.0', id: 1, error } })).toEqual(['failed_read']);
});

test('failed_read: a gateway that is being replaced drops what it has; one that is killed may', async () => {
  const error = { code: -32_603, message: 'Internal error' };
  const drop = async (changes: Partial<LabGateway>) => {
    const url = await serve({ body: { jsonrpc: '2.0', id: 1, error } });
    const gateway = { ...gatewayAt(url), isServing: () => false, ...changes };
    const deps = clientDeps(gateway);
    await readOnce(deps, gateway, { name: 'http-1', step: READ, shown: new Map() });
    return brokenOf(deps.findings);
  };
  let disturbances = 0;
  expect(await drop({})).toEqual(['failed_read']);
  expect(await drop({ disturbances: () => ++disturbances })).toEqual([]);
});

test('stale_read: a session is shown less than before', async () => {
  expect(await readTwice(balance(100), balance(99))).toEqual(['stale_read']);
});

test('stale_read: a session is shown the state of another ledger', async () => {
  expect(await readTwice(balance(100), balance(101, 7))).toEqual(['stale_read']);
});

test('duplicate_send: a node is sent a transaction twice, and two nodes are where one is allowed', async () => {
  const server = new ChainServer();
  await server.start();
  onTestFinished(() => server.kill());
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: ['AQ==', {}] });
  const send = async () => (await fetch(server.url, { method: 'POST', body })).arrayBuffer();
  const judge = (...nodes: readonly ChainServer[]) => {
    const { findings } = newFindings();
    judgeSends(
      nodes.map(({ node: { taken } }, at) => ({ name: `node-${at}`, taken })),
      1,
      findings,
    );
    return findings.kept.map(({ invariant }) => invariant);
  };
  await send();
  expect(judge(server)).toEqual([]);
  expect(judge(server, server)).toEqual(['duplicate_send']);
  await send();
  expect(judge(server)).toEqual(['duplicate_send']);
});

const LAMPORTS = (slot: number) => ({ context: { slot }, value: { lamports: slot } });

async function hear(...slots: readonly (number | { readonly gap: readonly [number, number] })[]) {
  const deps = newFindings();
  const heard = new HeardSlots(deps, 'websocket-1');
  let id = 0;
  const socket = { call: async () => ({ result: ++id }) };
  await heard.subscribe(socket, 'slotSubscribe');
  await heard.subscribe(socket, 'accountSubscribe');
  for (const each of slots) {
    if (typeof each === 'number')
      heard.take({ method: 'accountNotification', params: { subscription: 2, result: LAMPORTS(each) } });
    else
      heard.take({
        method: 'gapNotification',
        params: { subscriptions: [2], fromSlot: each.gap[0], toSlot: each.gap[1] },
      });
  }
  return { heard, broken: () => brokenOf(deps.findings) };
}

test('silent_gap: a slot is left out unsaid; one that is said breaks nothing', async () => {
  expect((await hear(100, 101, { gap: [102, 104] }, 105)).broken()).toEqual([]);
  expect((await hear(100, 102)).broken()).toEqual(['silent_gap']);
  // A state of within the gap, and then the first slot behind it.
  expect((await hear(100, { gap: [101, 107] }, 103, 108)).broken()).toEqual([]);
  expect((await hear(100, { gap: [101, 104] }, 103, 106)).broken()).toEqual(['silent_gap']);
});

test('silent_gap: a subscription falls silent', async () => {
  const { heard, broken } = await hear(100);
  heard.judgeSilence(60_000);
  expect(broken()).toEqual([]);
  heard.judgeSilence(0);
  expect(broken()).toEqual(['silent_gap']);
});

test('lost_event: a slot does not arrive in a stream', () => {
  const deps = newFindings();
  const take = judgeStream(deps, 'grpc-1');
  for (const slot of [100, 101, 102]) take(slot);
  expect(brokenOf(deps.findings)).toEqual([]);
  take(104);
  expect(brokenOf(deps.findings)).toEqual(['lost_event']);
});

const wallet = { id: 'w_1', address: ADDRESS };

function bookWithWallet() {
  const book = newWalletBook({ account: 'lab', token: 'token', secret: 'AAAA', creditUsd: 10 });
  book.living.set(wallet.id, wallet);
  return Object.assign(book, { created: 1, signed: 2 });
}

test('lost_event: an operation has no record in the audit log, or two', () => {
  const record = (action: string) => ({ action, outcome: 'ok', wallet_id: wallet.id });
  const judge = (...actions: readonly string[]) => {
    const { findings } = newFindings();
    judgeRecords(bookWithWallet(), actions.map(record), findings);
    return brokenOf(findings);
  };
  expect(judge('create', 'sign', 'sign')).toEqual([]);
  expect(judge('create', 'sign')).toEqual(['lost_event']);
  expect(judge('create', 'sign', 'sign', 'sign')).toEqual(['lost_event']);
  expect(judge('sign', 'sign')).toEqual(['lost_event']);
});

test('lost_event: a destruction has no record, or two', () => {
  const judge = (...destructions: readonly string[]) => {
    const { findings } = newFindings();
    const book = Object.assign(bookWithWallet(), { signed: 0 });
    book.destroyed.set(wallet.id, wallet);
    const records = [
      ['create', 'ok'] as const,
      ...destructions.map((outcome) => ['destroy', outcome] as const),
    ];
    judgeRecords(
      book,
      records.map(([action, outcome]) => ({ action, outcome, wallet_id: wallet.id })),
      findings,
    );
    return brokenOf(findings);
  };
  expect(judge('ok')).toEqual([]);
  expect(judge('ok', 'replayed')).toEqual([]);
  expect(judge()).toEqual(['lost_event']);
  expect(judge('ok', 'ok')).toEqual(['lost_event']);
});

test.each([
  ['is answered', [{ status: 200 }], 'destroyed', []],
  ['was done by a try that was not answered', [{ status: 503 }, { status: 404 }], 'destroyed', []],
  ['is not answered', [{ status: 503 }, { status: 503 }], 'unsure', []],
  ['has a used code', [{ status: 403, code: 'two_factor_invalid' }], 'living', []],
  ['has a used code again', [{ status: 503 }, { status: 403, code: 'two_factor_invalid' }], 'unsure', []],
  ['is refused as one of no wallet', [{ status: 404 }], 'living', ['lost_wallet']],
  [
    'is refused later',
    [{ status: 503 }, { status: 403, code: 'two_factor_locked' }],
    'unsure',
    ['lost_wallet'],
  ],
] as const)('lost_wallet: a destruction %s', async (_what, answers, where, broken) => {
  const book = bookWithWallet();
  const script = answers.map(({ status, ...body }) => ({ status, body }));
  const deps = { ...clientDeps(gatewayAt(await serve(...script))), nowMs: () => 1_234 };
  for (const _answer of answers) await destroyOne(deps, book);
  expect([[...book[where].keys()], brokenOf(deps.findings)]).toEqual([[wallet.id], broken]);
});

test('lost_wallet: a wallet that a client received is gone, or has another address', () => {
  const judge = (status: number, address: string) => {
    const { findings } = newFindings();
    judgeShown(wallet, { gateway: 'gateway-1', shown: { status, body: { address } } }, findings);
    return brokenOf(findings);
  };
  expect(judge(200, ADDRESS)).toEqual([]);
  expect(judge(404, ADDRESS)).toEqual(['lost_wallet']);
  expect(judge(200, '11111111111111111111111111111111')).toEqual(['lost_wallet']);
});

test('lost_charge: an operation is charged twice or not at all, and the money does not add up', () => {
  const standing = { balance_usd: '9.9988', reserved_usd: '0', charged_usd: '0.0012' };
  const judge = (creations: number, signatures: number, changes: Partial<typeof standing> = {}) => {
    const { findings } = newFindings();
    const operations = { wallet_creation: creations, managed_signing: signatures };
    judgeCharges(bookWithWallet(), { ...standing, ...changes, operations_this_month: operations }, findings);
    return brokenOf(findings);
  };
  expect(judge(1, 2)).toEqual([]);
  expect(judge(2, 2)).toEqual(['lost_charge']);
  expect(judge(1, 1)).toEqual(['lost_charge']);
  expect(judge(1, 2, { balance_usd: '9.98' })).toEqual(['lost_charge']);
  expect(judge(1, 2, { balance_usd: '9.9976', charged_usd: '0.0024' })).toEqual(['lost_charge']);
});

test('lost_charge: of what was broken off all or nothing or a part may be charged, and no more', () => {
  const judge = (creations: number) => {
    const { findings } = newFindings();
    const book = Object.assign(bookWithWallet(), { created: 10, signed: 0 });
    book.interrupted.set('wallet_creation', 5);
    const standing = { balance_usd: '9', reserved_usd: '0', charged_usd: '1' };
    judgeCharges(book, { ...standing, operations_this_month: { wallet_creation: creations } }, findings);
    return brokenOf(findings);
  };
  for (const creations of [10, 11, 15]) expect(judge(creations)).toEqual([]);
  for (const creations of [9, 16]) expect(judge(creations)).toEqual(['lost_charge']);
});

test('destroyed_signs: a gateway signs with a destroyed wallet', async () => {
  const tryAt = async (status: number) => {
    const book = bookWithWallet();
    book.destroyed.set(wallet.id, wallet);
    const deps = clientDeps(gatewayAt(await serve({ status, body: {} })));
    await tryDestroyed(deps, book);
    return brokenOf(deps.findings);
  };
  expect(await tryAt(404)).toEqual([]);
  expect(await tryAt(503)).toEqual([]);
  expect(await tryAt(200)).toEqual(['destroyed_signs']);
});
