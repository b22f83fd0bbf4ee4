import { expect, onTestFinished, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { DeliveredEvents, type ReceivedRecord } from './checks/delivered-events.ts';
import { settleTrees } from './checks/settle-wallets.ts';
import { judgeDeliveries } from './checks/settle-run.ts';
import { readBatch } from './clients/batch-client.ts';
import { type ToldKey, tryKey } from './clients/key-client.ts';
import { ADDRESS, type ReadStep } from './clients/read-step.ts';
import { deriveDestroyed, rangeOf, takeTree } from './clients/wallets/tree-client.ts';
import { newWalletBook } from './clients/wallets/wallet-book.ts';
import { takeBatch } from './clients/wallets/wallet-client.ts';
import type { GatewayProcess } from './gateways/lab-gateway.ts';
import { EventReceiver } from './receiver/event-receiver.ts';
import type { FaultKind } from './scenarios.ts';
import { brokenOf, clientDeps, gatewayAt, newFindings, serve } from './lab-deps.ts';

const CUSTOMER = { account: 'lab', token: 'token', secret: 'AAAA', creditUsd: 10 };
const READ: ReadStep = {
  method: 'getBalance',
  commitment: 'confirmed',
  params: [ADDRESS, { commitment: 'confirmed' }],
};

const entry = (id: number, slot = 100) => ({
  jsonrpc: '2.0',
  id,
  result: { context: { slot }, value: slot },
});

test.each([
  ['every entry once, in any order', [entry(1), entry(0)], []],
  ['one is left out', [entry(0)], ['broken_batch']],
  ['one is answered twice', [entry(0), entry(1), entry(1)], ['broken_batch']],
  ['one nobody asked for', [entry(0), entry(1), entry(2)], ['broken_batch']],
  ['no list', entry(0), ['broken_batch']],
  ['an error', [entry(0), { jsonrpc: '2.0', id: 1, error: { code: -32_603 } }], ['failed_read']],
  [
    'the state of another ledger',
    [entry(0), { ...entry(1), result: { context: { slot: 100 }, value: 7 } }],
    ['stale_read'],
  ],
])('broken_batch: a batch of two is answered with: %s', async (_what, body, broken) => {
  const gateway = gatewayAt(await serve({ body }));
  const deps = clientDeps(gateway);
  const batch = { name: 'batches-1', shown: new Map(), steps: [READ, READ], wire: undefined };
  await readBatch(deps, gateway, batch);
  expect(brokenOf(deps.findings)).toEqual(broken);
});

test('failed_read: a batch of reads is not answered; one with a transaction may wait for its node', async () => {
  const read = async (wire: string | undefined) => {
    const gateway = gatewayAt('http://127.0.0.1:1');
    const deps = clientDeps(gateway);
    await readBatch(deps, gateway, { name: 'batches-1', shown: new Map(), steps: [READ], wire });
    return brokenOf(deps.findings);
  };
  expect(await read(undefined)).toEqual(['failed_read']);
  expect(await read('AQ==')).toEqual([]);
});

const [FIRST, SECOND] = [`m/44'/501'/0'/0'`, `m/44'/501'/1'/0'`];
const RANGE = { accounts: { start: 0, count: 2 }, change: { start: 0, count: 1 } };
const child = (path: string, id: string, address = `address of ${id}`) => ({
  wallet_id: id,
  address,
  derivation_path: path,
});
const tree = (...wallets: readonly object[]) => ({
  master: { wallet_id: 'w_m', address: 'address of w_m' },
  wallets,
});

function bookWithTree() {
  const book = newWalletBook(CUSTOMER);
  const deps = newFindings();
  takeTree(deps, book, { range: RANGE, body: tree(child(FIRST, 'w_1'), child(SECOND, 'w_2')) });
  return { book, ...deps };
}

test.each([
  ['the same children', [child(FIRST, 'w_1'), child(SECOND, 'w_2')], []],
  ['another address', [child(FIRST, 'w_1', 'another'), child(SECOND, 'w_2')], ['changed_child']],
  ['another wallet', [child(FIRST, 'w_3'), child(SECOND, 'w_2')], ['changed_child']],
  ['a child too few', [child(FIRST, 'w_1')], ['changed_child']],
  ["children at each other's paths", [child(FIRST, 'w_2'), child(SECOND, 'w_1')], ['changed_child']],
])('changed_child: what was derived before is answered with: %s', (_what, wallets, broken) => {
  const { book, findings, timeline } = bookWithTree();
  takeTree({ findings, timeline }, book, { range: RANGE, body: tree(...wallets) });
  expect(brokenOf(findings)).toEqual(broken);
  expect({ derived: book.derived, living: book.living.size }).toEqual({ derived: 2, living: 3 });
});

test('changed_child: two paths are one wallet', () => {
  const { book, findings, timeline } = bookWithTree();
  const path = `m/44'/501'/7'/1'`;
  takeTree({ findings, timeline }, book, { range: rangeOf(path), body: tree(child(path, 'w_1')) });
  expect(brokenOf(findings)).toEqual(['changed_child']);
});

test('changed_child: at the end a gateway has lost a child, or has another one', async () => {
  const settle = async (status: number, address: string) => {
    const { book, ...deps } = bookWithTree();
    book.trees.get('w_m')?.children.delete(SECOND);
    const gateway = gatewayAt(await serve({ status, body: tree(child(FIRST, 'w_1', address)) }));
    await settleTrees(deps, [book], [gateway as GatewayProcess]);
    return brokenOf(deps.findings);
  };
  expect(await settle(200, 'address of w_1')).toEqual([]);
  expect(await settle(200, 'another')).toEqual(['changed_child']);
  expect(await settle(404, 'address of w_1')).toEqual(['changed_child']);
});

test('destroyed_signs: a destroyed child is derived again', async () => {
  const derive = async (status: number, body: object) => {
    const { book, findings, timeline } = bookWithTree();
    book.destroyed.set('w_1', { id: 'w_1', address: 'address of w_1' });
    const deps = { ...clientDeps(gatewayAt(await serve({ status, body }))), findings, timeline };
    await deriveDestroyed(deps, book);
    return brokenOf(findings);
  };
  expect(await derive(409, { code: 'derivation_destroyed' })).toEqual([]);
  expect(await derive(503, {})).toEqual([]);
  expect(await derive(200, tree(child(FIRST, 'w_9')))).toEqual(['destroyed_signs']);
});

test('lost_wallet: a batch has a wallet too few, or one twice', () => {
  const take = (...ids: readonly string[]) => {
    const deps = newFindings();
    const lines = ids.map((id) => ({ wallet_id: id, address: ADDRESS }));
    takeBatch(deps, newWalletBook(CUSTOMER), { count: 2, body: { lines } });
    return brokenOf(deps.findings);
  };
  expect(take('w_1', 'w_2')).toEqual([]);
  expect(take('w_1')).toEqual(['lost_wallet']);
  expect(take('w_1', 'w_1')).toEqual(['lost_wallet']);
});

/** A key that was given, and ended, a number of milliseconds ago. */
const keyOf = (sinceMs: number, endedMs?: number): ToldKey => {
  const nowMs = performance.now();
  const since = { id: 'k_1', text: 'ks_key_1', sinceMs: nowMs - sinceMs };
  return endedMs === undefined
    ? since
    : { ...since, worksUntilMs: nowMs - endedMs, endedMs: nowMs - endedMs };
};

async function useKey(key: ToldKey, body: object, hearsSinceMs: () => number | undefined = () => -10_000) {
  const gateway = { ...gatewayAt(await serve({ body })), hearsSinceMs };
  const deps = clientDeps(gateway);
  await tryKey(deps, gateway, key);
  const { lost_key: lost, revoked_works: revoked } = deps.findings.seen();
  return { broken: brokenOf(deps.findings), checks: lost.checks + revoked.checks };
}

const TAKEN = { jsonrpc: '2.0', id: 1, result: 7 };
const refused = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code } });

test('lost_key: a key does not work a second after it was made', async () => {
  expect(await useKey(keyOf(5_000), TAKEN)).toEqual({ broken: [], checks: 1 });
  expect(await useKey(keyOf(5_000), refused(-32_041))).toEqual({ broken: ['lost_key'], checks: 1 });
  expect(await useKey(keyOf(5_000), refused(-32_603))).toEqual({ broken: [], checks: 0 });
  expect(await useKey(keyOf(0), refused(-32_041))).toEqual({ broken: [], checks: 0 });
});

test('lost_key: a replaced key is refused before its overlap is over', async () => {
  expect(await useKey(keyOf(5_000, -60_000), refused(-32_063))).toEqual({ broken: ['lost_key'], checks: 1 });
  expect(await useKey(keyOf(5_000, 1), refused(-32_063))).toEqual({ broken: [], checks: 0 });
});

test('revoked_works: a revoked key is taken more than a second later', async () => {
  expect(await useKey(keyOf(9_000, 5_000), refused(-32_042))).toEqual({ broken: [], checks: 1 });
  expect(await useKey(keyOf(9_000, 5_000), TAKEN)).toEqual({ broken: ['revoked_works'], checks: 1 });
  expect(await useKey(keyOf(9_000, 0), TAKEN)).toEqual({ broken: [], checks: 0 });
});

test('revoked_works: a gateway that cannot reach the store is not held to it, one that can again is', async () => {
  const ago = (ms: number) => {
    const sinceMs = performance.now() - ms;
    return () => sinceMs;
  };
  expect(await useKey(keyOf(9_000, 5_000), TAKEN, () => undefined)).toMatchObject({ checks: 0 });
  expect(await useKey(keyOf(9_000, 5_000), TAKEN, ago(1_000))).toMatchObject({ checks: 0 });
  expect(await useKey(keyOf(9_000, 5_000), TAKEN, ago(4_000))).toMatchObject({ broken: ['revoked_works'] });
});

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const record = (seq: number, wallet?: string): ReceivedRecord => ({
  seq,
  action: 'sign',
  ...(wallet !== undefined && { wallet_id: wallet }),
});

/** Delivers records to a receiver as a gateway does; one that is answered otherwise is not repeated here. */
async function deliver(
  records: readonly ReceivedRecord[],
  { fault, secret = SECRET }: { fault?: FaultKind<'receiver'>; secret?: string } = {},
) {
  const deps = newFindings();
  const receiver = new EventReceiver();
  await receiver.start();
  onTestFinished(() => receiver.close());
  const delivered = new DeliveredEvents(deps, 'lab');
  receiver.expect('lab', { secret: SECRET, delivered });
  if (fault !== undefined) receiver.fail(fault);
  for (const data of records) {
    const body = JSON.stringify({ type: 'wallet.sign', timestamp: new Date().toISOString(), data });
    const id = `audit_${data.seq}`;
    const at = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    const signal = AbortSignal.timeout(fault === 'half_open' ? 200 : 5_000);
    await fetch(receiver.urlFor('lab'), { method: 'POST', headers, body, signal }).catch(() => undefined);
  }
  return { ...deps, delivered };
}

test('lost_delivery: a record does not come, comes as another one, or is not signed', async () => {
  const judge = async (actions: readonly string[], secret?: string) => {
    const { delivered, findings } = await deliver(
      [record(5), record(6)],
      secret === undefined ? {} : { secret },
    );
    const wanted = actions.map((action, at) => ({ seq: 5 + at, action }));
    judgeDeliveries({ customer: CUSTOMER, delivered }, wanted, findings);
    return brokenOf(findings);
  };
  expect(await judge(['sign', 'sign'])).toEqual([]);
  expect(await judge(['sign', 'sign', 'sign'])).toEqual(['lost_delivery']);
  expect(await judge(['sign', 'create'])).toEqual(['lost_delivery']);
  const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
  expect(await judge([], other)).toEqual(['lost_delivery']);
});

test('disordered_delivery: an event comes first after a later one of its wallet; again it may come at any time', async () => {
  const broken = async (...records: readonly ReceivedRecord[]) => brokenOf((await deliver(records)).findings);
  expect(await broken(record(1, 'w_1'), record(2, 'w_1'), record(1, 'w_1'))).toEqual([]);
  expect(await broken(record(2, 'w_1'), record(1, 'w_2'))).toEqual([]);
  expect(await broken(record(2, 'w_1'), record(1, 'w_1'))).toEqual(['disordered_delivery']);
});

test.each([
  ['error', undefined],
  ['cut_off', undefined],
  ['half_open', 'sign'],
  ['reset', 'sign'],
] as const)('a receiver with the fault %s has taken: %s', async (fault, action) => {
  const { delivered } = await deliver([record(1)], { fault });
  expect(delivered.actionOf(1)).toBe(action);
});

test('an event that comes again is counted, and breaks nothing', async () => {
  const { timeline, findings } = await deliver([record(1), record(1), record(2)]);
  expect(timeline.totals()).toEqual({ events_delivered: 2, events_delivered_again: 1 });
  expect(brokenOf(findings)).toEqual([]);
});
