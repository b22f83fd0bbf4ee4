import { onTestFinished, expect, test } from 'vitest';
import { describeNodes } from '../../src/cli/nodes-text.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { checkNodes } from '../../src/doctor/checks/nodes.ts';
import type { Finding, ServerStatus } from '../../src/doctor/finding.ts';
import { startScriptedNode } from '../server/scripted-node.ts';

const PART = 'network solana-localnet';

type ServedNode = ServerStatus['networks'][number]['nodes'][number];

const served = (name: string, faults: Partial<ServedNode> = {}): ServedNode => ({
  ...{ name, is_reachable: true, standing: 'healthy', reasons: [] },
  ...faults,
});

async function examineServed(nodes: readonly ServedNode[], upstream = 'ready'): Promise<unknown> {
  const status: ServerStatus = {
    store: { state: 'ready' },
    signer: { state: 'ready', backend: 'soft' },
    networks: [{ name: 'solana', environment: 'localnet', upstream, nodes }],
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

async function newNodeUrl(): Promise<string> {
  const node = await startScriptedNode();
  onTestFinished(node.close);
  node.ownAnswers.getVersion = { 'solana-core': '4.3.5', 'feature-set': 7 };
  return node.url;
}

test('of a running server every node is named, and one that is down beside others is a warning', async () => {
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
    nodes,
    beyond_specification: [],
    unknown_methods: [],
  };
  const rows = describeNodes({ networks: [network] }).split('\n');
  expect(rows.find((row) => row.startsWith('a'))).toMatch(/^a +healthy +7 +0 +unknown/);
  expect(rows.find((row) => row.startsWith('b'))).toMatch(/^b +down +unknown/);
});
