import { posix } from 'node:path';
import { type Arrow, arrowsOf, readSources, type SourceFile } from '../../support/source-files.ts';

/** When a test runs: in `make test`, only in `make test-all`, or only in long runs. */
export type Tier = 'short' | 'slow' | 'long';

/** A test file, and the number of imports between it and a file. */
export type ReachedTest = { readonly path: string; readonly distance: number };

/** A file that is named by its path from the root: tests start programs so. */
const NAMED = /['"`]((?:src|codegen|runtime|test)\/[\w./-]+\.(?:ts|js))['"`]/g;

/** The imports between files of the tree, with dynamic imports, workers and started programs. */
export function readArrows(): readonly Arrow[] {
  const files = ['src', 'runtime', 'codegen', 'generated', 'test'].flatMap(readSources);
  return files.flatMap((file) => [...arrowsOf(file), ...namedBy(file)]);
}

/** Returns the test files that import a file, or the folder that it lies in, over however many others; nearest first. */
export function findReachedTests(changed: string, arrows: readonly Arrow[]): readonly ReachedTest[] {
  const importers = Map.groupBy(arrows, ({ to }) => to.replace(/\/$/, ''));
  const distances = new Map([changed, ...foldersOf(changed)].map((path) => [path, 0]));
  for (const [path, distance] of distances)
    for (const { from } of importers.get(path) ?? [])
      if (!distances.has(from)) distances.set(from, distance + 1);
  return [...distances]
    .filter(([path]) => path.endsWith('.test.ts'))
    .map(([path, distance]) => ({ path, distance }));
}

/** Returns the tier that the name of a test file says. */
export function tierOf(path: string): Tier {
  if (path.endsWith('.slow.test.ts')) return 'slow';
  return path.endsWith('.long.test.ts') ? 'long' : 'short';
}

/** Returns the path of a test without `.test.ts` and its tier. */
export function testName(path: string): string {
  return path.replace(/(\.slow|\.long)?\.test\.ts$/, '');
}

function namedBy({ path, text }: SourceFile): readonly Arrow[] {
  return [...text.matchAll(NAMED)].map(([, to = '']) => ({ from: path, to }));
}

/** The folders that a file lies in, apart from the top-level one. */
function foldersOf(path: string): readonly string[] {
  const folder = posix.dirname(path);
  return folder.includes('/') ? [folder, ...foldersOf(folder)] : [];
}
