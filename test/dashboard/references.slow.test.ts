import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = join(ROOT, 'src/dashboard');
const METHODS = ['get', 'post', 'delete'] as const;

type Operation = { readonly operationId: string; readonly tags: readonly string[] };
type Path = { readonly $ref?: string } & { readonly [M in (typeof METHODS)[number]]?: Operation };

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, 'generated', path), 'utf8'));
}

/** "tag/operation" of everything that a document of the reference has. */
function operationsOf(service: string): readonly string[] {
  const { paths } = readJson<{ readonly paths: Readonly<Record<string, Path>> }>(`${service}/openapi.json`);
  return Object.values(paths)
    .map((path): Path => (path.$ref === undefined ? path : readJson<Path>(join(service, path.$ref))))
    .flatMap((path) => METHODS.map((method) => path[method]))
    .flatMap((operation) =>
      operation === undefined ? [] : [`${operation.tags[0]}/${operation.operationId}`],
    );
}

/** The form in which pages name an operation: its tag, its name and, where it is not of the account service, the service. */
const NAMED = /[[(]\s*'([A-Z][\w ,]+)',\s*'([a-z]\w+)'(?:,\s*'(ledger|wallets)')?,?\s*[\])]/g;
const TRIED = /tag="([^"]+)"\s+method="([^"]+)"/g;

const SOURCES = readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(PAGES, name), 'utf8'));

test('every link to the reference names an operation that its document has', () => {
  const [ledger, wallets, account] = ['ledger', 'wallets', 'account'].map(operationsOf);
  const links = SOURCES.flatMap((text) => [
    ...[...text.matchAll(NAMED)].map(([, tag, name, service]) => ({
      link: `${tag}/${name}`,
      // The note of a cost names operations of the wallet service alone.
      known: service === 'ledger' ? ledger : [...(wallets ?? []), ...(service ? [] : (account ?? []))],
    })),
    ...[...text.matchAll(TRIED)].map(([, tag, name]) => ({ link: `${tag}/${name}`, known: ledger })),
  ]);
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ link, known }) => !known?.includes(link)).map(({ link }) => link)).toEqual([]);
});

test('every link to a page of the dashboard leads to one', () => {
  const links = SOURCES.flatMap((text) =>
    [...text.matchAll(/href(?:=|:\s*)['"](\/[^'"]*)['"]/g)].map(([, path = '']) => path),
  );
  expect(links.length).toBeGreaterThan(20);
  const routes = SOURCES.flatMap((text) =>
    [...text.matchAll(/\bpath(?:=|:\s*)['"](\/[^'"]*)['"]/g)].map(([, path = '']) => path),
  );
  expect(links.filter((link) => !routes.some((route) => fits(link, route)))).toEqual([]);
});

/** True if a path is that of a route, whose last parts may be left out. A query names no page. */
function fits(link: string, route: string): boolean {
  const [path = ''] = link.split('?');
  const [parts, wanted] = [path.split('/').slice(1), route.split('/').slice(1)];
  const isFit = wanted.every((part, at) =>
    part.startsWith(':') ? part.endsWith('?') || parts[at] !== undefined : part === parts[at],
  );
  return isFit && parts.length <= wanted.length;
}
