import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crossCheck } from '../../../src/core/config/cross-check.ts';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();

type Names = readonly (string | undefined)[];

/** The configuration of networks whose nodes are called so; undefined: they have no name. */
function load(...networks: readonly Names[]) {
  const file = join(directory(), 'keyslot.yaml');
  const written = networks.map((names, index) => ({
    name: `network${index}`,
    upstreams: names.map((name) => ({ url: 'http://node.example/?key=hunter2', ...(name && { name }) })),
  }));
  writeFileSync(file, JSON.stringify({ networks: written }));
  return loadConfig({ env: {}, file });
}

function problemsOf(...networks: readonly Names[]): readonly string[] {
  try {
    load(...networks);
    return [];
  } catch (error) {
    const [, ...problems] = error instanceof Error ? error.message.split('\n') : [];
    return problems;
  }
}

const both = (network: number, first: number, second: number, name: string): string =>
  expect.stringContaining(
    `networks.${network}.upstreams.${first} and networks.${network}.upstreams.${second} are both called ${name};`,
  );

test.each<[string, readonly Names[]]>([
  ['names of their own', [['main', 'backup', 'far.away-2']]],
  ['no names', [[undefined, undefined, undefined]]],
  ['names that look alike', [['node-01', 'node-10', 'node', 'node1']]],
  ['the name of their own place', [['node-1', 'node-2']]],
  ['the name of a place that has another name', [['node-2', 'node-1']]],
  ['the name of a place that there is not', [[undefined, 'node-3']]],
  [
    'the names of another network',
    [
      ['main', undefined],
      ['main', undefined],
    ],
  ],
])('nodes may have %s', (_names, networks) => {
  expect(problemsOf(...networks)).toEqual([]);
});

test('two nodes of a network with one name are a mistake that names both', () => {
  expect(problemsOf(['main', 'backup', 'main'])).toEqual([both(0, 0, 2, 'main')]);
});

test('so are a name and the place of another node that has none', () => {
  expect(problemsOf(['node-2', undefined])).toEqual([both(0, 0, 1, 'node-2')]);
  expect(problemsOf([undefined, 'node-1'])).toEqual([both(0, 0, 1, 'node-1')]);
});

test('all such mistakes are told, of every network, and no address', () => {
  const networks = [['a', 'b', 'a', 'a', 'b'], ['c'], [undefined, 'node-3', undefined]];
  expect(problemsOf(...networks)).toEqual([
    ...[both(0, 0, 2, 'a'), both(0, 0, 3, 'a'), both(0, 1, 4, 'b')],
    both(2, 1, 2, 'node-3'),
  ]);
  expect(problemsOf(...networks).join()).not.toContain('hunter2');
});

test('what passes has as many names as nodes', () => {
  const name = fc.option(fc.constantFrom('a', 'b', 'node-1', 'node-2', 'node-3'), { nil: undefined });
  const config = load(['a']);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), (names) => {
      const upstreams = names.map((each) => ({
        url: 'http://node.example/',
        roles: [],
        weight: 1,
        ...(each && { name: each }),
      }));
      const networks = config.networks.map((network) => ({ ...network, upstreams }));
      const called = names.map((each, index) => each ?? `node-${index + 1}`);
      expect(crossCheck({ ...config, networks })).toHaveLength(names.length - new Set(called).size);
    }),
  );
});
