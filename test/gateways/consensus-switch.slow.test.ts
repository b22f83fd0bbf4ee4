import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { chainSlot } from '../lab/nodes/chain-node.ts';
import { serveChain } from '../lab/gateways/serve-chain.ts';
import { openSocket, type SocketMessage } from '../support/socket-client.ts';
import { postJson } from '../support/post-json.ts';

type Told = { readonly slot: number; readonly atMs: number };

/** Follows a subscription: what it is told, in order, and whatever else comes, a notice of a gap too. */
async function follow(url: string, method: string, params: readonly unknown[] = []) {
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
      readonly result: number | { slot?: number; context?: Told };
    };
    const slot = typeof told_ === 'number' ? told_ : (told_.slot ?? told_.context?.slot ?? -1);
    told.push({ slot, atMs: performance.now() });
  });
  return { told, others, close: client.close };
}

function expectInARow(told: readonly Told[]): void {
  const [{ slot: first } = { slot: 0 }] = told;
  expect(told.map(({ slot }) => slot)).toEqual(told.map((_, at) => first + at));
}

/** How much later than the node's own client the one of the gateway was told, in the middle, in milliseconds. */
function medianDelayMs(told: readonly Told[], directly: readonly Told[]): number {
  const direct = new Map(directly.map(({ slot, atMs }) => [slot, atMs]));
  const delays = told.flatMap(({ slot, atMs }) => (direct.has(slot) ? [atMs - (direct.get(slot) ?? 0)] : []));
  return delays.toSorted((a, b) => a - b)[delays.length >> 1] ?? Number.POSITIVE_INFINITY;
}

test('a network goes over to Alpenglow under subscriptions, streams and own reads: nothing is missing or final early, and nothing waits', {
  timeout: 180_000,
}, async () => {
  await using started = new AsyncDisposableStack();
  const { servers, gateway, stop } = await serveChain();
  started.defer(stop);
  const address = base58.encode(randomBytes(32));
  const wsUrl = gateway.rpcUrl.replace('http', 'ws');
  const finalized = [address, { encoding: 'base64', commitment: 'finalized' }];
  const slots = await follow(wsUrl, 'slotSubscribe');
  const roots = await follow(wsUrl, 'rootSubscribe');
  const accounts = await follow(wsUrl, 'accountSubscribe', finalized);
  const direct = await follow(servers[0].url.replace('http', 'ws'), 'rootSubscribe');
  for (const each of [slots, roots, accounts, direct]) started.defer(each.close);
  const client = createStreamClient({ url: gateway.grpcUrl, apiKey: gateway.apiKey });
  const leaving = new AbortController();
  const streamed: bigint[] = [];
  const streaming = (async () => {
    for await (const { slot } of client.subscribe('slots', { signal: leaving.signal })) streamed.push(slot);
  })();
  started.defer(() => client.close());

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
      const { slot } = (body as { readonly result: { readonly context: Told } }).result.context;
      expect(slot).toBeGreaterThanOrEqual(seen.get(commitment) ?? 0);
      seen.set(commitment, slot);
      if (commitment === 'finalized') behind = before - slot;
      // Nothing is called final that is not so at any node.
      if (commitment === 'finalized')
        expect(slot).toBeLessThanOrEqual(Math.max(...servers.map(({ node }) => node.slot('finalized'))));
    }
    return behind;
  };

  await eventually('the network is known to run Tower BFT', async () =>
    (await consensus())?.consensus === 'tower' ? true : undefined,
  );
  await eventually('roots are told', () => (roots.told.length >= 20 ? true : undefined));
  expect(await read()).toBeGreaterThanOrEqual(31);
  const underTower = { delayMs: medianDelayMs(roots.told, direct.told), roots: roots.told.length };

  const from = chainSlot() + 10;
  for (const { node } of servers) node.alpenglowFrom = from;
  await eventually('the network is known to run Alpenglow', async () => {
    await read();
    return (await consensus())?.alpenglow_from === from ? true : undefined;
  });
  await eventually('roots are told', () =>
    roots.told.length >= underTower.roots + 60 && (roots.told.at(-1)?.slot ?? 0) > from + 20
      ? true
      : undefined,
  );
  const later = roots.told.filter(({ slot }) => slot > from + 5);
  const underAlpenglow = medianDelayMs(later, direct.told);
  expect(await read()).toBeLessThan(31);

  leaving.abort();
  await streaming;
  for (const { told, others } of [slots, roots, accounts]) {
    expectInARow(told);
    expect(others).toEqual([]);
  }
  expect(streamed.length).toBeGreaterThan(20);
  expect(streamed).toEqual(streamed.map((_, at) => (streamed[0] ?? 0n) + BigInt(at)));
  process.stdout.write(
    `roots at a client of the gateway, after the node's own client: ${underTower.delayMs.toFixed(0)} ms under Tower BFT, ${underAlpenglow.toFixed(0)} ms under Alpenglow\n`,
  );
});
