import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/base/service-error.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { soundNodes } from '../../src/lab/faults/sound-nodes.ts';
import { loadScenario } from '../../src/lab/scenario/load-scenario.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const SAMPLES = resolve(import.meta.dirname, '../../docs/lab');
const samples = readdirSync(SAMPLES).filter((name) => name.endsWith('.yaml'));

function mistakesOf(text: string): string {
  const path = join(directory(), 'scenario.yaml');
  writeFileSync(path, text);
  try {
    loadScenario(path);
    return '';
  } catch (error) {
    return (error as ServiceError).message.replaceAll(path, 'FILE');
  }
}

describe('scenarios', () => {
  test.each(samples)('the sample %s is one', (name) => {
    const { name: title, faults } = loadScenario(join(SAMPLES, name));
    expect(title).not.toBe('');
    expect(faults.length).toBeGreaterThan(0);
  });

  test('defaults are filled in', () => {
    const path = join(directory(), 'scenario.yaml');
    writeFileSync(path, 'name: x\nfaults: [{ part: node, kind: lag }]\n');
    expect(loadScenario(path)).toMatchObject({
      ...{
        duration_s: 600,
        nodes: 3,
        gateways: 1,
        clients: { http: 4, batches: 2, websocket: 2, grpc: 2, wallets: 2, trees: 1, keys: 1 },
      },
      faults: [{ every_ms: [1000, 5000], for_ms: [500, 3000] }],
    });
  });

  test('every mistake is named, with the value and what is allowed', () => {
    const text = mistakesOf(
      'duration_s: 1\nclients: { http: many }\nfaults: [{ part: disk, kind: lag }]\ncolour: red\n',
    );
    expect(text).toContain('name is missing');
    expect(text).toContain('colour is not a setting');
    expect(text).toContain('duration_s is 1;');
    expect(text).toContain('clients.http is "many";');
    expect(text).toContain(
      'faults.0.part is "disk"; must be one of node, gateway, postgres, redis, signer, receiver',
    );
  });

  test('a kind that a part does not have, slots that mean nothing, and spans the wrong way round', () => {
    const text = mistakesOf(
      'name: x\nfaults: [{ part: redis, kind: lag }, { part: node, kind: busy, slots: [1, 2], for_ms: [9, 3] }, { part: node, kind: fork, slots: [1, 3] }]\n',
    );
    expect(text).toContain('faults.0.kind is "lag"; a redis has kill, cut_off, pause');
    expect(text).toContain('faults.1.slots has no effect with "busy"; only lag, fork, stale have it');
    expect(text).toContain('faults.1.for_ms is [9,3]; the first number must not be above the second one');
    expect(text).toContain('faults.2.slots is [1,3]; with "fork" at most 2');
  });

  test('a file that is no YAML, and one that is not there', () => {
    expect(mistakesOf('a: [')).toContain('is not YAML');
    expect(() => loadScenario('/nowhere.yaml')).toThrow('ENOENT');
  });
});

test('what a scenario needs of settings and services is said before anything starts', async () => {
  const path = join(directory(), 'scenario.yaml');
  writeFileSync(
    path,
    'name: x\ngateways: 2\nfaults: [{ part: gateway, kind: replace }, { part: redis, kind: pause }]\n',
  );
  const told: string[] = [];
  const write = (text: string): void => void told.push(text);
  const terminal = { env: { KEYSLOT_DATA_DIR: directory() }, writeOut: write, writeError: write };
  expect(await runCommandLine(['lab', 'run', path], terminal)).toBe(2);
  const text = told.join('');
  expect(text).toContain('2 gateways need --database URL');
  expect(text).toContain('faults of redis need --redis URL');
  expect(text).toContain('faults of kind replace need shutdown_grace_ms of 2000 or more');
});

test('in every turn each role has a node that is sound', () => {
  const nodes = [
    { name: 'a', roles: ['read', 'send'] },
    { name: 'b', roles: ['read'] },
    { name: 'c', roles: ['archive'] },
  ];
  expect([0, 1, 2].map((turn) => [...soundNodes(nodes, turn)])).toEqual([
    ['a', 'c'],
    ['b', 'a', 'c'],
    ['a', 'c'],
  ]);
});
