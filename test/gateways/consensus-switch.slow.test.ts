import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { createAccountClient } from '../../generated/account/client.ts';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startReceiver, verified } from '../account/webhooks/receiver.ts';
import { type ChainNode, chainSlot, SLOT_MS } from '../lab/nodes/chain-node.ts';
import { type ServedChain, serveChain } from '../lab/gateways/serve-chain.ts';
import { openSocket, type SocketMessage } from '../support/socket-client.ts';
import { postJson } from '../support/post-json.ts';

/** `finalized`, `newest`: the newest slots of any node, and of the chain, in that moment. */
type Told = {
  readonly slot: number;
  readonly atMs: number;
  readonly finalized: number;
  readonly newest: number;
};
type Nodes = readonly { readonly node: ChainNode }[];

/** The most slots by which finality is behind the chain after the switch. */
const MOST_BEHIND = 5;
/** Interval between two looks of a node of the chain for notifications, in milliseconds. */
const LOOK_MS = 20;
/** The roots of a window in which delays are compared. */
const WINDOW = 7;

function noted(slot: number, nodes: Nodes): Told {
  const finalized = Math.max(...nodes.map(({ node }) => node.slot('finalized')));
  return { slot, atMs: performance.now(), finalized, newest: chainSlot() };
}

/** Follows a subscription: what it is told, in order, and whatever else comes, a notice of a gap too. */
async function follow(nodes: Nodes, url: string, method: string, params: readonly unknown[] = []) {
  const client = await openSocket(url);
  const name = method.replace('Subscribe', 'Notification');
  const told: Told[] = [];
  const others: SocketMessage[] = [];
  const { result } = await client.call(method, params);
  expect(result).toBeTypeOf('number');
  client.socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as SocketMessage;
    if (message.method !== name) return void others.push(message);
    const { result: told_ } = message.params as {
      readonly result: number | { slot?: number; context?: { readonly slot: number } };
    };
    const slot = typeof told_ === 'number' ? told_ : (told_.slot ?? told_.context?.slot ?? -1);
    told.push(noted(slot, nodes));
  });
  return { told, others, close: client.close };
}

/** Follows a topic: what it is told, in order. It ends with an error where a block is missing. */
function followTopic({ servers, gateway }: ServedChain, topic: 'slots' | 'blocks') {
  const client = createStreamClient({ url: gateway.grpcUrl, apiKey: gateway.apiKey });
  const leaving = new AbortController();
  const told: Told[] = [];
  const ended = (async () => {
    for await (const { slot } of client.subscribe(topic, { signal: leaving.signal }))
      told.push(noted(Number(slot), servers));
  })();
  const leave = async (): Promise<void> => {
    leaving.abort();
    await ended;
    client.close();
  };
  return { told, leave };
}

/** Follows a webhook of finality: every block rewards the address that it is about. */
async function followWebhook({ servers, gateway }: ServedChain, address: string) {
  const receiver = await startReceiver();
  const token = await gateway.newToken(['webhooks:manage', 'audit:read']);
  const ledger = {
    commitment: 'finalized' as const,
    filters: [{ kind: 'address' as const, value: address }],
  };
  const account = createAccountClient({ url: gateway.baseUrl, token });
  const { secret } = await account.createWebhook({
    name: 'final',
    url: receiver.url,
    events: ['ledger.*'],
    ledger,
  });
  const arrived: Told[] = [];
  receiver.answerWith((received, response) => {
    const { data } = JSON.parse(received.body) as { readonly data: { readonly slot: number } };
    arrived.push(noted(data.slot, servers));
    response.writeHead(204).end();
  });
  /** Types, positions and slots of the events, in the order of their positions. */
  const events = () =>
    receiver.received
      .map((each) => verified(each, secret) as unknown as WebhookEvent)
      .map(({ type, data: { position, slot } }) => ({ type, position, slot }))
      .toSorted((a, b) => a.position - b.position);
  return { arrived, events };
}

type WebhookEvent = {
  readonly type: string;
  readonly data: { readonly position: number; readonly slot: number };
};

function expectInARow(slots: readonly number[]): void {
  const [first = 0] = slots;
  expect(slots).toEqual(slots.map((_, at) => first + at));
}

/** Nothing is told as final that no node has finalized. */
function expectNotEarly(told: readonly Told[]): void {
  expect(told.filter(({ slot, finalized }) => slot > finalized)).toEqual([]);
}

/**
 * Returns the longest time from a node's finalized slot to its notification at a client of the gateway, in the best of three windows.
 * Where the node's own client is told late, the machine is slow, and it counts from there.
 */
function delayMs(node: ChainNode, told: readonly Told[], directly: readonly Told[]): number {
  const direct = new Map(directly.map(({ slot, atMs }) => [slot, atMs]));
  const delays = told.slice(0, 3 * WINDOW).map(({ slot, atMs }) => {
    const toldMs = direct.get(slot) ?? 0;
    return atMs - Math.max(node.finalizedAtMs(slot), toldMs - LOOK_MS);
  });
  expect(delays).toHaveLength(3 * WINDOW);
  return Math.min(...[0, 1, 2].map((at) => Math.max(...delays.slice(at * WINDOW, (at + 1) * WINDOW))));
}

test('a network goes over to Alpenglow under subscriptions, streams, webhooks and own reads: nothing is missing or final early, and nothing waits', {
  timeout: 180_000,
}, async () => {
  await using started = new AsyncDisposableStack();
  const chain = await serveChain();
  const { servers, gateway, stop } = chain;
  started.defer(stop);
  const address = base58.encode(randomBytes(32));
  for (const { node } of servers) node.rewarded = address;
  const wsUrl = gateway.rpcUrl.replace('http', 'ws');
  const finalized = [address, { encoding: 'base64', commitment: 'finalized' }];
  const slots = await follow(servers, wsUrl, 'slotSubscribe');
  const roots = await follow(servers, wsUrl, 'rootSubscribe');
  const accounts = await follow(servers, wsUrl, 'accountSubscribe', finalized);
  const direct = await follow(servers, servers[0].url.replace('http', 'ws'), 'rootSubscribe');
  for (const each of [slots, roots, accounts, direct]) started.defer(each.close);
  const topics = [followTopic(chain, 'slots'), followTopic(chain, 'blocks')];
  for (const { leave } of topics) started.defer(leave);
  const webhook = await followWebhook(chain, address);

  const consensus = async () => {
    const url = `${new URL(gateway.rpcUrl).origin}/readyz`;
    const { networks } = (await (await fetch(url)).json()) as {
      readonly networks: readonly { readonly consensus: string; readonly alpenglow_from: number | null }[];
    };
    return networks[0];
  };
  const seen = new Map<string, number>();
  /** Reads at each level, with one session: no later read shows less. Returns how far finalized is behind the chain. */
  const read = async (): Promise<number> => {
    let behind = 0;
    for (const commitment of ['finalized', 'confirmed'] as const) {
      const params = [base58.encode(randomBytes(32)), { commitment, encoding: 'base64' }];
      const call = { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params };
      const before = chainSlot();
      const { body } = await postJson(gateway.rpcUrl, call, { 'keyslot-session': 'switch' });
      const { slot } = (body as { readonly result: { readonly context: { readonly slot: number } } }).result
        .context;
      expect(slot).toBeGreaterThanOrEqual(seen.get(commitment) ?? 0);
      seen.set(commitment, slot);
      if (commitment === 'finalized') behind = before - slot;
      if (commitment === 'finalized') expectNotEarly([noted(slot, servers)]);
    }
    return behind;
  };

  await eventually('the network is known to run Tower BFT', async () =>
    (await consensus())?.consensus === 'tower' ? true : undefined,
  );
  await eventually('roots are told', () => (roots.told.length >= 3 * WINDOW ? true : undefined));
  await eventually('the webhook gets events', () => (webhook.arrived.length > 0 ? true : undefined));
  expect(await read()).toBeGreaterThanOrEqual(31);
  const [{ node }] = servers;
  const underTower = delayMs(node, roots.told, direct.told);

  const from = chainSlot() + 10;
  for (const { node: each } of servers) each.alpenglowFrom = from;
  await eventually('the network is known to run Alpenglow', async () => {
    await read();
    return (await consensus())?.alpenglow_from === from ? true : undefined;
  });
  const isAfter = ({ slot }: Told): boolean => slot > from + 5;
  await eventually('roots are told', () =>
    roots.told.filter(isAfter).length >= 3 * WINDOW ? true : undefined,
  );
  const later = roots.told.filter(isAfter);
  const underAlpenglow = delayMs(node, later, direct.told);
  const behind = await read();
  await eventually('the webhook gets events', () => (webhook.arrived.some(isAfter) ? true : undefined));

  for (const { leave } of topics) await leave();
  for (const { told, others } of [slots, roots, accounts]) {
    expectInARow(told.map(({ slot }) => slot));
    expect(others).toEqual([]);
  }
  for (const { told } of topics) {
    expect(told.length).toBeGreaterThan(20);
    expectInARow(told.map(({ slot }) => slot));
  }
  const events = webhook.events();
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['ledger.balance']));
  expectInARow(events.map(({ position }) => position));
  expectInARow(events.map(({ slot }) => slot));
  for (const told of [roots.told, accounts.told, webhook.arrived]) expectNotEarly(told);

  process.stdout.write(
    `from a node's finalized slot to a client of the gateway: ${underTower.toFixed(0)} ms under Tower BFT, ${underAlpenglow.toFixed(0)} ms under Alpenglow; then final is ${behind} slots behind\n`,
  );
  expect(underTower).toBeLessThanOrEqual(SLOT_MS);
  expect(underAlpenglow).toBeLessThanOrEqual(SLOT_MS);
  expect(behind).toBeLessThanOrEqual(MOST_BEHIND);
  for (const told of [later, webhook.arrived.filter(isAfter)])
    expect(Math.min(...told.map(({ slot, newest }) => newest - slot))).toBeLessThanOrEqual(MOST_BEHIND);
});
