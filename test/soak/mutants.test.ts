import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { ROOT } from '../support/source-files.ts';
import { applyMutant, MUTANTS } from './mutants/mutant.ts';
import { findReachedTests, readArrows, testName, tierOf } from './mutants/reached-tests.ts';

const root = fileURLToPath(ROOT);
const arrows = readArrows();
const directory = useNewDirectory();

test('there are 30 mutants, and each has a name of its own', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(30);
});

test.each(MUTANTS)(
  '$name is found once, and the test that is meant to catch it imports its file',
  (mutant) => {
    const { path, text } = applyMutant(mutant, root);
    expect(text).toContain(mutant.to);
    const reached = findReachedTests(path, arrows).filter((each) => tierOf(each.path) !== 'long');
    expect(reached.map((each) => testName(each.path))).toContain(mutant.caught_by);
  },
);

const MUTANT = { name: 'swapped', fault: '', in: 'src/room', from: 'a - b', to: 'b - a', caught_by: '' };
const write = (name: string, text: string): void => {
  mkdirSync(join(directory(), 'src/room/inner'), { recursive: true });
  writeFileSync(join(directory(), 'src/room', name), text);
};

test('a mutant is found wherever its text lies in the room, and however it is broken into lines', () => {
  write('other.ts', 'a + b');
  write('inner/moved.ts', 'const c =\n  a -\n  b;\n');
  expect(applyMutant(MUTANT, directory())).toEqual({
    path: 'src/room/inner/moved.ts',
    text: 'const c =\n  b - a;\n',
  });
});

test.each([
  ['nowhere', 'a + b', 0],
  ['twice', 'a - b; a - b', 2],
])('a mutant whose text is found %s is an error that names it', (_, text, times) => {
  write('one.ts', text);
  expect(() => applyMutant(MUTANT, directory())).toThrow(
    `mutant swapped: expected its text once below src/room, found it ${times} times`,
  );
});

test('tests are reached over imports, workers, folders and programs by path, the nearest first', () => {
  const arrow = (from: string, to: string) => ({ from, to });
  const found = findReachedTests('src/a/b/one.sql', [
    arrow('src/two.ts', 'src/a/b/'),
    arrow('test/far.slow.test.ts', 'test/helper.ts'),
    arrow('test/near.test.ts', 'src/two.ts'),
    arrow('test/helper.ts', 'src/two.ts'),
    arrow('test/none.test.ts', 'src/three.ts'),
  ]);
  expect(found).toEqual([
    { path: 'test/near.test.ts', distance: 2 },
    { path: 'test/far.slow.test.ts', distance: 3 },
  ]);
  expect(found.map(({ path }) => [testName(path), tierOf(path)])).toEqual([
    ['test/near', 'short'],
    ['test/far', 'slow'],
  ]);
});
