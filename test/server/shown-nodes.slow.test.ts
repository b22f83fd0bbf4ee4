import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommands } from '../cli/use-commands.ts';
import { eventually } from '../../src/core/eventually.ts';

/** Each test starts a server. */

const { directory, newNode, serve } = useCommands();

type Ready = {
  readonly status: string;
  readonly networks: readonly {
    readonly slot_ms: number | null;
    readonly nodes: readonly Readonly<Record<string, unknown>>[];
  }[];
};

/** A server before these networks, and its answers for operators. */
async function serving(networks: unknown) {
  const file = join(directory(), 'keyslot.yaml');
  writeFileSync(file, JSON.stringify({ networks }));
  const { server } = await serve({}, ['--config', file]);
  const { base_url: baseUrl } = JSON.parse(server.stdout()) as { readonly base_url: string };
  const ready = async () => {
    const response = await fetch(`${baseUrl}/readyz`);
    return { code: response.status, ...((await response.json()) as Ready) };
  };
  const metrics = async (name: string): Promise<readonly string[]> =>
    (await (await fetch(`${baseUrl}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
  return { ready, metrics };
}

async function nodeSaying(version: unknown, numSlots: number) {
  const node = await newNode();
  Object.assign(node.ownAnswers, {
    getVersion: version,
    getRecentPerformanceSamples: [{ slot: 7, numSlots, samplePeriodSecs: 60 }],
  });
  return node;
}

const AGAVE = { 'solana-core': '4.3.5', 'feature-set': 7 };
const SURFNET = { 'solana-core': '4.4.0', 'surfnet-version': '1.6.0', 'feature-set': 8 };

test('/readyz and /metrics tell of every network its nodes and how long a slot takes', async () => {
  const [one, other] = [await nodeSaying(AGAVE, 150), await nodeSaying(SURFNET, 400)];
  const { ready, metrics } = await serving([
    { environment: 'devnet', upstreams: [{ url: one.url, name: 'main' }, { url: one.url }] },
    { environment: 'testnet', upstreams: [{ url: other.url }] },
  ]);
  const { code, networks } = await eventually('the nodes and the pace are known', async () => {
    const answer = await ready();
    const isKnown = answer.networks.every(
      ({ slot_ms: slotMs, nodes }) => slotMs !== null && nodes.every(({ version }) => version !== null),
    );
    return isKnown && answer.networks[0]?.nodes.every((node) => node.is_ordered) ? answer : undefined;
  });
  expect([code, networks]).toMatchObject([
    200,
    [
      {
        name: 'solana',
        environment: 'devnet',
        upstream: 'ready',
        slot_ms: 400,
        nodes: [
          { name: 'main', version: '4.3.5', feature_set: 7, is_ordered: true, is_reachable: true },
          { name: 'node-2', version: '4.3.5', feature_set: 7, is_ordered: true, is_reachable: true },
        ],
      },
      {
        name: 'solana',
        environment: 'testnet',
        upstream: 'ready',
        slot_ms: 150,
        nodes: [{ name: 'node-1', version: '4.4.0', feature_set: 8, is_ordered: false, is_reachable: true }],
      },
    ],
  ]);
  expect(await metrics('keyslot_slot_seconds')).toEqual([
    'keyslot_slot_seconds{network="solana-devnet"} 0.4',
    'keyslot_slot_seconds{network="solana-testnet"} 0.15',
  ]);
  const said = (version: string, features: number) => `version="${version}",feature_set="${features}"`;
  expect(await metrics('keyslot_node_info')).toEqual([
    `keyslot_node_info{network="solana-devnet",node="main",${said('4.3.5', 7)},ordered="true"} 1`,
    `keyslot_node_info{network="solana-devnet",node="node-2",${said('4.3.5', 7)},ordered="true"} 1`,
    `keyslot_node_info{network="solana-testnet",node="node-1",${said('4.4.0', 8)},ordered="false"} 1`,
  ]);
});

test('of a node that is gone /readyz has its name, /metrics no pace, and neither an address', async () => {
  const { ready, metrics } = await serving([
    { environment: 'devnet', upstreams: [{ url: 'http://127.0.0.1:1/rpc?token=node-secret', name: 'main' }] },
  ]);
  const answer = await ready();
  expect([answer.code, answer.networks]).toMatchObject([
    503,
    [
      {
        name: 'solana',
        environment: 'devnet',
        upstream: 'upstreamUnavailable',
        slot_ms: null,
        nodes: [
          {
            name: 'main',
            version: null,
            feature_set: null,
            is_ordered: false,
            is_reachable: false,
            standing: 'down',
          },
        ],
      },
    ],
  ]);
  expect(await metrics('keyslot_slot_seconds')).toEqual([]);
  expect(await metrics('keyslot_node_info')).toEqual([
    'keyslot_node_info{network="solana-devnet",node="main",version="",feature_set="",ordered="false"} 1',
  ]);
  expect(JSON.stringify(answer)).not.toMatch(/node-secret|127\.0\.0\.1/);
});

test('/readyz says degraded, and stays ready, while one of several nodes is gone; metrics and reasons name it', async () => {
  const node = await nodeSaying(AGAVE, 150);
  const gone = { url: 'http://127.0.0.1:1/', name: 'gone' };
  const { ready, metrics } = await serving([
    { environment: 'devnet', upstreams: [{ url: node.url, name: 'here' }, gone] },
  ]);
  const answer = await eventually('the lost node is known', async () => {
    const { code, status, networks } = await ready();
    return networks[0]?.nodes[1]?.standing === 'down' ? { code, status, networks } : undefined;
  });
  expect(answer).toMatchObject({ code: 200, status: 'degraded' });
  expect(answer.networks[0]?.nodes[1]?.reasons).toEqual(['failed: upstreamUnavailable']);
  expect(await metrics('keyslot_node_healthy')).toEqual([
    'keyslot_node_healthy{network="solana-devnet",node="here"} 1',
    'keyslot_node_healthy{network="solana-devnet",node="gone"} 0',
  ]);
});
