import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../support/source-files.ts';

const FOLDER = new URL('docs/decisions/', ROOT);
const read = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');
const records = readdirSync(FOLDER)
  .filter((path) => path !== 'README.md')
  .sort();

/** Decisions that the index has one line for, and that are in no file any more. */
const superseded = [...read('README.md').matchAll(/^- (\d{4}) .*: by \[\d{4}\]\(.*\)$/gm)].map(
  ([, number = '']) => number,
);

test('decisions are numbered without a hole', () => {
  const numbers = [...records.map((path) => path.slice(0, 4)), ...superseded].sort();
  expect(numbers.map(Number)).toEqual(numbers.map((_, index) => index + 1));
});

test.each(records)('%s has its number, a status and a date', (path) => {
  expect(path).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
  const [title, blank, status] = read(path).split('\n');
  expect(title).toMatch(new RegExp(`^# ${path.slice(0, 4)}\\. \\S`));
  expect(blank).toBe('');
  expect(status).toMatch(/^Status: accepted, \d{4}-\d{2}-\d{2}(;.*)?$/);
});

test('the index lists every record once, by its title', () => {
  const listed = [...read('README.md').matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.*)$/gm)].map(
    ([, number, path, title]) => `${path} # ${number}. ${title}`,
  );
  expect(listed.sort()).toEqual(records.map((path) => `${path} ${read(path).split('\n')[0]}`));
});

test('the table of packages has a row for every package of package.json, and for no other', () => {
  const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  const named = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  );
  const firstCells = [...read('0001-packages.md').matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
  const listed = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  expect(listed.sort()).toEqual(named.sort());
});
