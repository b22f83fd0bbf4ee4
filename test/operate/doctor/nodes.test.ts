import { onTestFinished, expect, test } from 'vitest';
import { describeNodes } from '../../../src/cli/actions/servers.ts';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { checkNodes } from '../../../src/operate/doctor/checks/nodes.ts';
import type { Finding, ServerStatus } from '../../../src/operate/doctor/finding.ts';
import { startScriptedNode } from '../../server/scripted-node.ts';

const PART = 'network solana-localnet';

type ServedNode = ServerStatus['networks'][number]['nodes'][number];

const served = (name: string, faults: Partial<ServedNode> = {}): ServedNode => ({
  name,
  is_reachable: true,
  standing: 'healthy',
  reasons: [],
  is_stale: false,
  roles: ['read', 'send'],
  version: '4.3.5',
  is_ordered: true,
  ...faults,
});

async function examineServed(
  nodes: readonly ServedNode[],
  upstream = 'ready',
  consensus = 'alpenglow',
): Promise<unknown> {
  const status: ServerStatus = {
    store: { state: 'ready' },
    signer: { state: 'ready', backend: 'soft' },
    networks: [{ name: 'solana', environment: 'localnet', upstream, consensus, nodes }],
  };
  return shown(await checkNodes({ config: loadConfig({ env: {} }), nowMs: 0, status }));
}

async function examineAlone(...urls: readonly string[]): Promise<unknown> {
  const [network] = loadConfig({ env: { KEYSLOT_UPSTREAM_URL: urls[0] } }).networks;
  const upstreams = urls.map((url, at) => ({ ...network?.upstreams[0], url, name: ['main', 'spare'][at] }));
  const config = { ...loadConfig({ env: {} }), networks: [{ ...network, upstreams }] } as never;
  return shown(await checkNodes({ config, nowMs: 0, status: undefined }));
}

const shown = (found: Finding | readonly Finding[]): unknown =>
  [found].flat().map(({ part, state, detail, remedy }) => {
    expect(part).toBe(PART);
    expect(remedy === undefined).toBe(state === 'ok');
    return [state, detail];
  });

async function newDeadUrl(): Promise<string> {
  const node = await startScriptedNode();
  await node.close();
  return `${node.url}/?api-key=sekret`;
}

async function newNodeUrl(version = '4.3.5'): Promise<string> {
  const node = await startScriptedNode();
  onTestFinished(node.close);
  node.ownAnswers.getVersion = { 'solana-core': version, 'feature-set': 7 };
  return node.url;
}

test('of a running server every node is named, and one that is down while others are not is a warning', async () => {
  expect(await examineServed([served('a'), served('b'), served('c')])).toEqual([['ok', 'a, b, c answer']]);
  const down = { is_reachable: false, standing: 'down', reasons: ['failed: ECONNREFUSED'] };
  const behind = { standing: 'degraded', reasons: ['behind by 90 slots, 36.0 s'] };
  expect(await examineServed([served('a'), served('b', down), served('c', behind)])).toEqual([
    ['ok', 'a answers'],
    ['warning', 'b: does not answer; failed: ECONNREFUSED'],
    ['warning', 'c: behind by 90 slots, 36.0 s'],
  ]);
  expect(await examineServed([served('a', behind)])).toEqual([
    ['ok', 'a node answers'],
    ['warning', 'a: behind by 90 slots, 36.0 s'],
  ]);
  expect(await examineServed([served('a', down)], 'upstreamUnavailable')).toEqual([
    ['wrong', 'upstreamUnavailable'],
  ]);
});

test('a node that answers but has no new slots is a warning with the reason, and a paused ledger is none', async () => {
  for (const reason of [
    'has stood at slot 900 for 12 s',
    'has shreds of 200 slots that it has not processed',
  ]) {
    const stale = { is_stale: true, reasons: [reason] };
    expect(await examineServed([served('a', stale)])).toEqual([
      ['ok', 'a node answers'],
      ['warning', `a: ${reason}`],
    ]);
    expect(await examineServed([served('a', stale), served('b')])).toEqual([
      ['ok', 'b answers'],
      ['warning', `a: ${reason}`],
    ]);
  }
  expect(await examineServed([served('localnet', { reasons: ['paused at slot 900 for 12 s'] })])).toEqual([
    ['ok', 'localnet (paused at slot 900 for 12 s) answers'],
  ]);
});

test('without a server too, and only a network of which none answers is wrong', async () => {
  const [url, dead] = [await newNodeUrl(), await newDeadUrl()];
  expect(await examineAlone(url, dead)).toEqual([
    ['ok', 'main answers'],
    ['warning', 'spare: ECONNREFUSED'],
  ]);
  expect(await examineAlone(dead, dead)).toEqual([
    ['wrong', 'main: ECONNREFUSED'],
    ['wrong', 'spare: ECONNREFUSED'],
  ]);
});

test('a node before 4.3 that transactions are sent to is a warning, but on a network under Tower BFT', async () => {
  const late = 'transactions sent to it wait 32 s for a leader that fails';
  const warned = [
    ['ok', 'a, b answer'],
    ['warning', `b is older than 4.3: under Alpenglow, ${late}`],
  ];
  const nodes = [served('a'), served('b', { version: '4.2.9' })];
  expect(await examineServed(nodes)).toEqual(warned);
  expect(await examineServed(nodes, 'ready', 'unknown')).toEqual(warned);
  expect(await examineServed(nodes, 'ready', 'tower')).toEqual([['ok', 'a, b answer']]);
  for (const spared of [{ roles: ['read'] }, { is_ordered: false }])
    expect(await examineServed([served('a'), served('b', { version: '4.2.9', ...spared })])).toEqual([
      ['ok', 'a, b answer'],
    ]);
  expect(await examineAlone(await newNodeUrl('4.2.1'))).toEqual([
    ['ok', 'main answers'],
    ['warning', `main is older than 4.3: under Alpenglow, ${late}`],
  ]);
});

test('`keyslot nodes` prints no BEHIND for a node whose slot is not known', () => {
  const common = { version: null, feature_set: null, is_ordered: false, is_reachable: true, reasons: [] };
  const nodes = [
    { name: 'a', standing: 'healthy', slot: 7, lag_slots: 0, ...common },
    { name: 'b', standing: 'down', slot: null, lag_slots: 0, ...common },
  ];
  const network = {
    network: 'n',
    slot_ms: null,
    slot_ms_from: null,
    consensus: 'alpenglow',
    alpenglow_from: 459_652_999,
    nodes,
    beyond_specification: [],
    unknown_methods: [],
  };
  const rows = describeNodes({ networks: [network] }).split('\n');
  expect(rows[0]).toBe('n: the slot length is not known yet; it has run Alpenglow since slot 459652999.');
  expect(rows.find((row) => row.startsWith('a'))).toMatch(/^a +healthy +7 +0 +unknown/);
  expect(rows.find((row) => row.startsWith('b'))).toMatch(/^b +down +unknown/);
});
