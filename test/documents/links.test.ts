import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readSources } from '../support/source-files.ts';

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const isThere = (path: string): boolean => existsSync(new URL(path, ROOT));
const markdownBelow = (folder: string): readonly string[] =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path}`);

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...['docs', 'spec', 'generated/docs', 'test', 'codegen'].flatMap(markdownBelow),
];

/** Text without code, in which brackets are no links. */
const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** The broken links of a document to other files of the project. */
function brokenLinks(document: string): readonly string[] {
  const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : posix.join(posix.dirname(document), decodeURI(path));
    if (!isThere(target)) return [`${document}: ${link}`];
    if (anchor === undefined || statSync(new URL(target, ROOT)).isDirectory()) return [];
    return anchorsOf(read(target)).has(anchor) ? [] : [`${document}: ${link}`];
  });
}

test('links are found: without them the test below would hold of anything', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(100);
  expect(read('docs/README.md')).toContain('](decisions/README.md)');
  expect(brokenLinks('docs/README.md')).toEqual([]);
});

test('every link between documents leads to a file, and to a heading where it names one', () => {
  expect(DOCUMENTS.flatMap(brokenLinks)).toEqual([]);
});

test('documents that code and specification name are there', () => {
  const named = ['src', 'runtime', 'codegen', 'test']
    .flatMap(readSources)
    .concat(
      ['spec/README.md', 'spec/config.yaml', 'spec/errors.yaml'].map((path) => ({ path, text: read(path) })),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/])docs\/(?:decisions\/)?[\w-]+\.md/g)].map(
        ([target]) => [path, target] as const,
      ),
    );
  expect(named.length).toBeGreaterThan(10);
  expect(
    named.filter(
      ([path, target]) =>
        !path.startsWith('codegen/render/') && !isThere(target) && !isThere(`generated/${target}`),
    ),
  ).toEqual([]);
});

/** Where a path of a document leads: `src/store/*tables.ts` and `spec/ledger/methods/<method>.yaml` to their folders. */
const placeOf = (path: string): string =>
  /[*<]/.test(path) ? posix.dirname(path.replace(/[*<].*$/, 'x')) : path.replace(/[./]+$/, '');

const SUFFIXES = ['.test.ts', '.slow.test.ts', '.long.test.ts'];

test('paths that guides name are there; decisions tell of their day', () => {
  const guides = DOCUMENTS.filter(
    (path) => /^(docs\/)?[\w-]+\.md$/.test(path) && !/CHANGELOG|interface/.test(path),
  );
  const named = guides.flatMap((path) =>
    [...read(path).matchAll(/(?<![\w/.-])(?:src|spec|codegen|test)\/[\w./*<>-]*/g)].map(
      ([to]) => [path, to] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(
    named.filter(
      ([, to]) => ![placeOf(to), ...SUFFIXES.map((suffix) => `${placeOf(to)}${suffix}`)].some(isThere),
    ),
  ).toEqual([]);
});

test('every document of docs/ is listed in its index', () => {
  const index = read('docs/README.md');
  const documents = readdirSync(new URL('docs', ROOT)).filter(
    (path) => path.endsWith('.md') && path !== 'README.md',
  );
  expect(documents.filter((path) => !index.includes(`](${path})`))).toEqual([]);
});

test('README.md has at most 1,200 words', () => {
  expect(read('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(1_200);
});
