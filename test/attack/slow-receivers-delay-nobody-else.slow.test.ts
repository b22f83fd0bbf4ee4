import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { appendAuditInOwnTransaction } from '../../src/account/audit/append-audit.ts';
import { allowAddresses } from '../../src/account/webhooks/allowed-addresses.ts';
import { type Dispatcher, startDispatcher } from '../../src/account/webhooks/dispatcher.ts';
import { createPostEvent } from '../../src/account/webhooks/post-event.ts';
import { createResolveHost } from '../../src/account/webhooks/resolve-host.ts';
import { createWebhook } from '../../src/account/webhooks/webhooks.ts';
import { gateways } from '../../src/store/access-tables.ts';
import { newCustomer } from '../account/new-customer.ts';
import { newInstallationKey } from '../account/test-installation-key.ts';
import { emptiedWorkerStore, SILENT } from '../store/backends.ts';

const ATTACKERS = 5;
const OF_ACCOUNT = 10;
const HANG_MS = 14_000;
/** Slow by the dispatcher's measure, by little. */
const SLOW_MS = 600;
const MOST_MS = 1_000;
/** Added to the bound: this multiple of what bare requests to the same server take in the same moments. An event is some ten such steps. */
const MOST_TIMES = 10;

type Store = Awaited<ReturnType<typeof emptiedWorkerStore>>;

const installationKey = await newInstallationKey();
const answered = new Map<string, number>();
type Watch = { readonly onArrival: (name: string) => void; readonly onAnswer: (name: string) => void };
let watch: Watch | undefined;

/** The milliseconds after which a kind of receiver answers, by the number of its answers before. */
const PAUSES: Readonly<Record<string, (before: number) => number>> = {
  hangs: () => HANG_MS,
  slow: () => SLOW_MS,
  alternates: (before) => (before % 2 === 0 ? SLOW_MS : 0),
  quick: () => 0,
  bare: () => 0,
};

/** The path is the name of a webhook, which begins with a kind. */
const receiver = createServer((request: IncomingMessage, response: ServerResponse) => {
  const name = request.url?.slice(1) ?? '';
  const before = answered.get(name) ?? 0;
  const pauseMs = PAUSES[name.split('-')[0] ?? '']?.(before) ?? 0;
  const answer = (): void => {
    response.writeHead(204).end();
    watch?.onAnswer(name);
  };
  request.resume().once('end', () => {
    answered.set(name, before + 1);
    watch?.onArrival(name);
    if (pauseMs === 0) answer();
    else setTimeout(answer, pauseMs).unref();
  });
});

let store: Store;
let dispatcher: Dispatcher;
let sender: ReturnType<typeof createPostEvent>;
beforeAll(() => new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening)));
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(async () => {
  store = await emptiedWorkerStore();
  answered.clear();
});
afterEach(async () => {
  watch = undefined;
  await dispatcher.close();
  sender.close();
});

const url = (name: string): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${name}`;

/** Makes an account with webhooks to these paths. */
async function newAccount(names: readonly string[]): Promise<string> {
  const accountId = await newCustomer(store);
  const deps = { store, installationKey, record: () => Promise.resolve() };
  for (const name of names)
    await createWebhook(deps, accountId, { name, url: url(name), events: [], isOrdered: false }, Date.now());
  return accountId;
}

function addEvents(accountId: string, count: number): Promise<unknown> {
  const fact = { action: 'sign', outcome: 'ok', requestId: 'req_a' };
  const facts = Array.from({ length: count }, () => fact);
  return appendAuditInOwnTransaction(store, accountId, facts, Date.now());
}

const names = (kind: string, owner: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${kind}-${owner}-${n}`);

async function startToDeliver(): Promise<void> {
  const gatewayId = randomUUID();
  await store.db.insert(gateways).values({ id: gatewayId, machine: 'a', pid: 1, started: 'a' });
  sender = createPostEvent({
    isAllowed: allowAddresses(['127.0.0.1/32'], false).any,
    resolve: createResolveHost(),
  });
  dispatcher = startDispatcher({
    store: store.lowPriority,
    planOf: () => ({ requestsPerSecond: 100 }),
    installationKey,
    gatewayId,
    clock: { nowMs: Date.now },
    log: SILENT,
    userAgent: 'test',
    postFor: () => sender.post,
    onStop: () => Promise.resolve(),
    onRound: () => undefined,
  });
}

/** Waits until each of these webhooks got an event, or has answered it. Returns the milliseconds until each got it. */
function eachGets(webhooks: readonly string[], until: keyof Watch = 'onArrival'): Promise<readonly number[]> {
  const startMs = performance.now();
  const times = new Map<string, number>();
  const done = new Set<string>();
  const all = Promise.withResolvers<readonly number[]>();
  const finish = (name: string): void => {
    if (!times.has(name)) return;
    done.add(name);
    if (done.size === webhooks.length) all.resolve([...times.values()]);
  };
  watch = {
    onArrival: (name) => {
      if (!webhooks.includes(name) || times.has(name)) return;
      times.set(name, performance.now() - startMs);
      if (until === 'onArrival') finish(name);
    },
    onAnswer: finish,
  };
  return all.promise;
}

/** Adds events one after the other to an account, each behind one of every attacker, and measures how long each takes to reach each webhook, and bare requests meanwhile. */
async function latenessOf(
  accountId: string,
  webhooks: readonly string[],
  events: number,
  attackers: readonly string[] = [],
) {
  const times: number[] = [];
  const bare: number[] = [];
  for (let event = 0; event < events; event++) {
    for (const attacker of attackers) await addEvents(attacker, 1);
    const all = eachGets(webhooks, 'onAnswer');
    await addEvents(accountId, 1);
    for (let request = 0; request < 5; request++) {
      const startMs = performance.now();
      await (await fetch(url('bare'), { method: 'POST', body: '{}' })).text();
      bare.push(performance.now() - startMs);
    }
    times.push(...(await all));
  }
  return { p99Ms: p99Of(times), bareMs: p99Of(bare), count: times.length };
}

function p99Of(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

function report(attack: string, { p99Ms, bareMs, count }: Awaited<ReturnType<typeof latenessOf>>): void {
  const figures = `${attack}: p99 of ${count} events ${p99Ms.toFixed(0)} ms, of bare requests ${bareMs.toFixed(0)} ms`;
  console.log(figures);
  expect(p99Ms, figures).toBeLessThan(MOST_MS + MOST_TIMES * bareMs);
}

test('webhooks that hang or alternate, of five accounts and of the same, delay no quick one', async () => {
  const webhooks = names('quick', 'victim', 5);
  const hanging = names('hangs', 'victim', 12);
  const victim = await newAccount([...hanging, ...webhooks]);
  const attacking = Array.from({ length: ATTACKERS }, (_, n) => [
    ...names('hangs', `mallory${n}`, OF_ACCOUNT),
    ...names('alternates', `mallory${n}`, OF_ACCOUNT),
  ]);
  const attackers: string[] = [];
  for (const made of attacking) attackers.push(await newAccount(made));
  for (const attacker of attackers) await addEvents(attacker, 1);
  await addEvents(victim, 1);
  const all = eachGets([...attacking.flat(), ...hanging, ...webhooks]);
  await startToDeliver();
  await all;
  report('hanging and alternating', await latenessOf(victim, webhooks, 20, attackers));
});

test('ten accounts whose webhooks hang delay none that takes 600 ms', async () => {
  const webhooks = names('slow', 'victim', 5);
  const victim = await newAccount(webhooks);
  const attacking = Array.from({ length: 10 }, (_, n) => names('hangs', `mallory${n}`, OF_ACCOUNT));
  const attackers: string[] = [];
  for (const made of attacking) attackers.push(await newAccount(made));
  for (const attacker of attackers) await addEvents(attacker, 1);
  const all = eachGets(attacking.flat());
  await startToDeliver();
  await all;
  const first = eachGets(webhooks, 'onAnswer');
  await addEvents(victim, 1);
  await first;
  report('a full slow lane', await latenessOf(victim, webhooks, 8));
});
