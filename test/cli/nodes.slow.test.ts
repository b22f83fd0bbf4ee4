import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { type Outcome, useCommands } from './use-commands.ts';

/** A test starts a server, one of them an embedded ledger too. */

const { directory, run, json, newNode, serve } = useCommands();

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1/rpc?token=node-secret';
const UNORDERED = 'version not comparable: fields of newer versions are passed through unchanged';

type Node = {
  readonly name: string;
  readonly version: string | null;
  readonly feature_set: number | null;
  readonly is_ordered: boolean;
  readonly is_reachable: boolean;
};
type Network = {
  readonly network: string;
  readonly slot_ms: number | null;
  readonly slot_ms_from: string | null;
  readonly consensus: string;
  readonly nodes: readonly Node[];
  readonly beyond_specification: readonly Readonly<Record<string, unknown>>[];
  readonly unknown_methods: readonly Readonly<Record<string, unknown>>[];
};
type Shown = { readonly networks: readonly Network[] };

const samplesOf = (numSlots: number) => [{ slot: 7, numSlots, samplePeriodSecs: 60 }];

async function nodeSaying(version: unknown, numSlots?: number): Promise<string> {
  const node = await newNode();
  node.ownAnswers.getVersion = version;
  if (numSlots !== undefined) node.ownAnswers.getRecentPerformanceSamples = samplesOf(numSlots);
  return node.url;
}

/** The server's state of its nodes, once it is known. */
const shown = (isKnown: (networks: readonly Network[]) => boolean): Promise<Shown> =>
  eventually('the server knows its nodes', async () => {
    const result = await json<Shown>('nodes');
    return isKnown(result.networks) ? result : undefined;
  });

/** The text printed once a number of nodes are healthy: one whose answer took long is not, until it is asked again. */
const printed = (healthy: number): Promise<Outcome> =>
  eventually(`${healthy} nodes are healthy`, async () => {
    const outcome = await run('nodes');
    return outcome.stdout.match(/ healthy +[1-9]/g)?.length === healthy ? outcome : undefined;
  });

const written = (networks: unknown): readonly string[] => {
  const file = join(directory(), 'keyslot.yaml');
  writeFileSync(file, JSON.stringify({ networks }));
  return ['--config', file];
};

test('of several networks each node is shown, those that cannot be reached and those of other clients too', async () => {
  const agave = await nodeSaying({ 'solana-core': '4.3.5', 'feature-set': 7 });
  const other = await nodeSaying({ 'solana-core': '1.2.1', 'feature-set': 8 });
  const newest = await nodeSaying({ 'solana-core': '4.4.0', 'feature-set': 9 }, 150);
  const config = written([
    {
      environment: 'devnet',
      upstreams: [{ url: DEAD, name: 'far-away' }, { url: agave, name: 'main' }, { url: other }],
    },
    { environment: 'testnet', upstreams: [{ url: newest }] },
  ]);
  const { post } = await serve({}, config);
  const { key } = await json<{ readonly key: string }>('keys', 'create');
  await post(key, '{"jsonrpc":"2.0","id":1,"method":"getNewMethod"}');

  const { networks } = await shown(
    ([devnet, testnet]) =>
      devnet?.nodes.map(({ version }) => version).join() === ',4.3.5,1.2.1' &&
      devnet.nodes[0]?.is_reachable === false &&
      testnet?.nodes[0]?.is_ordered === true &&
      testnet.slot_ms_from === 'samples',
  );
  expect(networks).toMatchObject([
    {
      network: 'solana-devnet',
      slot_ms: null,
      slot_ms_from: null,
      nodes: [
        { name: 'far-away', version: null, feature_set: null, is_ordered: false, is_reachable: false },
        { name: 'main', version: '4.3.5', feature_set: 7, is_ordered: true, is_reachable: true },
        { name: 'node-3', version: '1.2.1', feature_set: 8, is_ordered: false, is_reachable: true },
      ],
      beyond_specification: [],
      unknown_methods: [
        { name: 'getNewMethod', count: 1, first_seen: expect.stringMatching(/^20\d\d-.*Z$/) },
      ],
    },
    {
      network: 'solana-testnet',
      slot_ms: 400,
      slot_ms_from: 'samples',
      beyond_specification: [],
      nodes: [{ name: 'node-1', version: '4.4.0', feature_set: 9, is_ordered: true, is_reachable: true }],
    },
  ]);

  const { end, stdout, stderr } = await printed(3);
  expect([end, stderr]).toEqual(['exit code 0', '']);
  const { first_seen: first } = networks[0]?.unknown_methods[0] ?? {};
  expect(stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'solana-devnet: the slot length is not known yet; no node reports its consensus.',
    '',
    'NODE STATE SLOT BEHIND VERSION FEATURE SET',
    'far-away down unknown not reachable; failed: upstreamUnavailable',
    'main healthy 1000 0 4.3.5 7',
    `node-3 healthy 1000 0 1.2.1 8 ${UNORDERED}`,
    '',
    'Unknown methods that clients called:',
    '',
    'NAME TIMES FIRST SEEN',
    `getNewMethod 1 ${first}`,
    '',
    "solana-testnet: a slot takes 400 ms, measured by a node's performance samples; no node reports its consensus.",
    '',
    'NODE STATE SLOT BEHIND VERSION FEATURE SET',
    'node-1 healthy 1000 0 4.4.0 9',
    '',
  ]);
  expect(stdout).not.toContain('node-secret');
});

test('what a node calls its version can do nothing to a terminal', async () => {
  const hostile = [
    '4.4.0\u001b]0;owned\u0007\u001b[2J',
    '4.4.0\u009b2J',
    '4.4.0\r\nnode-9  4.4.0    7',
    'x'.repeat(5_000),
    { 'solana-core': '4.4.0' },
  ];
  const upstreams = await Promise.all(
    hostile.map(async (version) => ({ url: await nodeSaying({ 'solana-core': version, 'feature-set': 7 }) })),
  );
  const plain = { url: await nodeSaying({ 'solana-core': '4.4.0', 'feature-set': '7\u001b[2J' }) };
  await serve({}, written([{ environment: 'devnet', upstreams: [...upstreams, plain] }]));
  await shown(([network]) => network?.nodes.at(-1)?.is_ordered === true);
  const [text, asJson] = [await run('nodes'), await run('nodes', '--json')];
  expect(text.stdout).toMatch(/^[\x20-\x7e\n]{1,1000}$/);
  expect(text.stdout.match(/unknown\n/g)).toHaveLength(hostile.length);
  expect(asJson.stdout).toMatch(/^[\x20-\x7e]{1,2000}\n$/);
});

test('an embedded ledger is shown with its version and the length of a slot that is set', async () => {
  await serve({ KEYSLOT_LOCALNET_SLOT_MS: '250' });
  const { networks } = await shown(
    ([network]) => network?.nodes[0]?.is_ordered === true && network.consensus !== 'unknown',
  );
  expect(networks).toMatchObject([
    { network: 'solana-localnet', slot_ms: 250, slot_ms_from: 'setting', nodes: [{ name: 'localnet' }] },
  ]);
  expect((await printed(1)).stdout).toMatch(
    /^solana-localnet: a slot takes 250 ms, as configured; it has run Alpenglow since slot 0\.\n\nNODE +STATE +SLOT +BEHIND +VERSION +FEATURE SET\nlocalnet +healthy +\d+ +0 +4\.\d+\.\d+\S* +\d+\n$/,
  );
});

test.each([[[]], [['--json']]])(
  'without a server nothing is known, and no store is made %j',
  async (options) => {
    const { end, stdout, stderr } = await run('nodes', ...options);
    expect([end, stdout]).toEqual(['exit code 1', '']);
    expect(stderr).toContain('no server is running there');
    expect(readdirSync(directory())).toEqual([]);
  },
);

test.each([
  [['nodes', 'list'], 'list'],
  [['nodes', '--account', 'acme'], '--account'],
])('%j ends with a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});
