import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arrow } from '../../support/source-files.ts';
import { applyMutant, type Mutant } from './mutant.ts';
import { findReachedTests, testName, tierOf } from './reached-tests.ts';
import { runProgram } from './run-program.ts';

/** A copy of the tree that mutants are put into, and the imports between its files. */
export type Tree = { readonly root: string; readonly arrows: readonly Arrow[] };

/** The outcome of a mutant. `caughtIn`: the first tier that catches it, all: not before `make test-all`. */
export type Outcome = {
  readonly mutant: Mutant;
  readonly path: string;
  readonly caughtIn: 'short' | 'all' | 'nobody';
  /** The test file that failed. */
  readonly by: string | undefined;
  readonly seconds: number;
  /** Test files that fail without the fault as well, or not each time with it, and so say nothing. */
  readonly unsteady: readonly string[];
};

const TYPES = ['node_modules/tsgo/bin/tsc', '-p'];
const PROJECTS = ['.', 'src/dashboard'];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot'];
/** The most test files of a tier that are run for a mutant. */
const MOST_FILES = 40;

/** Returns what the compiler says with all mutants in place at once; empty if nothing: what it refuses would need no test. */
export async function checkTypes({ root }: Tree, mutants: readonly Mutant[]): Promise<string> {
  const planted = mutants.map((mutant) => plant(root, mutant));
  try {
    const ended = [];
    for (const project of PROJECTS) ended.push(await runProgram(root, [...TYPES, project]));
    return ended.map(({ code, output }) => (code === 0 ? '' : output)).join('');
  } finally {
    for (const { remove } of planted.toReversed()) remove();
  }
}

/**
 * Puts a mutant into the tree and runs the test files that the changed file can reach, one after the other, until one catches it: the short
 * tier before the slow one, in each first the test that is meant to, then the nearest ones.
 */
export async function tryMutant(tree: Tree, mutant: Mutant): Promise<Outcome> {
  const startMs = performance.now();
  const planted = plant(tree.root, mutant);
  const unsteady: string[] = [];
  const outcome = (by: string | undefined): Outcome => ({
    mutant,
    path: planted.path,
    by,
    unsteady,
    seconds: (performance.now() - startMs) / 1_000,
    caughtIn: by === undefined ? 'nobody' : tierOf(by) === 'short' ? 'short' : 'all',
  });
  try {
    for (const file of filesToRun(tree, mutant, planted.path)) {
      if (await passes(tree.root, file)) continue;
      if (await isCaught(tree.root, file, planted)) return outcome(file);
      unsteady.push(file);
    }
    return outcome(undefined);
  } finally {
    planted.remove();
  }
}

function filesToRun({ arrows }: Tree, { caught_by: meant }: Mutant, changed: string): readonly string[] {
  const reached = findReachedTests(changed, arrows).map(({ path }) => path);
  return (['short', 'slow'] as const).flatMap((tier) => {
    const ofTier = reached.filter((path) => tierOf(path) === tier);
    const first = ofTier.filter((path) => testName(path) === meant);
    return [...first, ...ofTier.filter((path) => !first.includes(path))].slice(0, MOST_FILES);
  });
}

/** True if a test file that failed passes without the fault and fails again with it: a busy machine fails tests, too. */
async function isCaught(root: string, file: string, planted: Planted): Promise<boolean> {
  planted.remove();
  const isSound = await passes(root, file);
  planted.restore();
  return isSound && !(await passes(root, file));
}

/** A test file that hangs does not pass. */
async function passes(root: string, file: string): Promise<boolean> {
  const env = { KEYSLOT_TEST_TIER: tierOf(file) === 'short' ? 'short' : 'all' };
  return (await runProgram(root, [...VITEST, file], env)).code === 0;
}

/** A mutant in its place. */
type Planted = { readonly path: string; readonly remove: () => void; readonly restore: () => void };

function plant(root: string, mutant: Mutant): Planted {
  const { path, text } = applyMutant(mutant, root);
  const file = join(root, path);
  const before = readFileSync(file);
  const restore = (): void => writeFileSync(file, text);
  restore();
  return { path, remove: () => writeFileSync(file, before), restore };
}
