import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { call } from '../../src/devkit/contract/json-rpc.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';

const running: { readonly stop: () => Promise<void> }[] = [];
afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())));

/** The whole server before a node whose every answer has a member that is new. */
async function open(env: Readonly<Record<string, string>>) {
  const node = await startScriptedNode((response, { body }) => {
    const { id } = JSON.parse(body) as { readonly id: unknown };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', result: 5, newMember: 1, id }));
  });
  running.push({ stop: node.close });
  const server = await startKeyslot({ env: { KEYSLOT_UPSTREAM_URL: node.url, ...env } });
  running.push(server);
  return { node, server };
}

async function driftOf({ baseUrl }: RunningKeyslot): Promise<readonly string[]> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return text.split('\n').filter((line) => /^keyslot_(drift|unknown_method)_/.test(line));
}

const hostOf = ({ url }: ScriptedNode): string => new URL(url).host;

test('a server looks at its nodes, by the names that they are given, and shows no key of their addresses', async () => {
  const { node, server } = await open({});
  await call(server, 'getSlot');
  const own = `network="solana-localnet",node="node-1"`;
  const metric = `keyslot_drift_total{${own},kind="member",name="getSlot.newMember"} 1`;
  const lines = await eventually('it was found', async () => {
    const all = await driftOf(server);
    return all.includes(metric) ? all : undefined;
  });
  expect(lines.some((line) => line.startsWith(`keyslot_drift_samples_total{${own},outcome="checked"}`))).toBe(
    true,
  );
  const logged = `${server.stdout()}${server.stderr()}`
    .split('\n')
    .filter((line) => line.includes('getSlot.newMember'));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('node-1');
  expect(logged[0]).not.toContain(hostOf(node));
  expect(lines.join() + logged.join()).not.toContain('node-secret');
});

test('drift.samples_per_minute 0 turns that off; methods that clients call are counted all the same', async () => {
  const { server } = await open({ KEYSLOT_DRIFT_SAMPLES_PER_MINUTE: '0' });
  for (let round = 0; round < 3; round++) await call(server, 'getSlot');
  await call(server, 'getShreds').catch(() => undefined);
  expect(await driftOf(server)).toEqual([
    'keyslot_unknown_method_calls_total{network="solana-localnet",name="getShreds"} 1',
  ]);
});
