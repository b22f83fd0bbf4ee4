import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { arrowsOf, readSources } from './support/source-files.ts';

// `make figures` prints how large the tree is, and how scattered. With a revision of before in another checkout, the two are compared.

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;
const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const committed = (...paths: readonly string[]): readonly string[] =>
  git('ls-files', '-z', ...paths)
    .split('\0')
    .filter(Boolean);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const sources = readSources('src');
const lines = new Map(sources.map(({ path, text }) => [path, linesOf(text)]));
const importers = new Map<string, Set<string>>();
for (const { from, to } of [...sources, ...readSources('generated')].flatMap(arrowsOf)) {
  if (!lines.has(to)) continue;
  importers.set(to, (importers.get(to) ?? new Set()).add(from));
}
const scattered = [...lines].filter(([path, size]) => {
  const [only, ...others] = importers.get(path) ?? [];
  return (
    size < 50 && only !== undefined && others.length === 0 && posix.dirname(only) === posix.dirname(path)
  );
});
const sizes = [...lines.values()].sort((a, b) => a - b);
const read = (path: string): string => readFileSync(path, 'utf8');

const figures: readonly (readonly [string, number])[] = [
  ['files in src/', sizes.length],
  ['lines in src/, without empty ones', sum(sizes)],
  ['median lines of a file', sizes[Math.floor(sizes.length / 2)] ?? 0],
  ['files with one importer, in the same folder, below 50 lines', scattered.length],
  ['rooms', new Set(sources.map(({ path }) => path.split('/')[1])).size - 1],
  ['lines in generated/ that are committed', sum(committed('generated').map((path) => linesOf(read(path))))],
  [
    'words in documents',
    sum(
      committed('*.md')
        .filter((path) => !path.startsWith('generated/'))
        .map((path) => wordsOf(read(path))),
    ),
  ],
  ['lines in test/', sum(readSources('test').map(({ text }) => linesOf(text)))],
];

console.log(
  `${git('log', '-1', '--format=%h %cs').trim()}${git('status', '--porcelain') === '' ? '' : ', changed'}`,
);
for (const [name, figure] of figures) console.log(`${figure.toLocaleString('en-US').padStart(9)}  ${name}`);
