import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = join(ROOT, 'src/dashboard');

/** The calls of a section that the reference has a page for. */
function pagesOf(section: string): readonly string[] {
  return readdirSync(join(ROOT, 'generated/reference/pages', section)).map((name) =>
    name.replace(/\.html$/, ''),
  );
}

/** The form in which pages name an operation: its tag, its name and, where it is not of the account service, the service. */
const NAMED = /[[(]\s*'([A-Z][\w ,]+)',\s*'([a-z]\w+)'(?:,\s*'(ledger|wallets)')?,?\s*[\])]/g;
const TRIED = /<TryCall\s+method="([^"]+)"/g;

const SOURCES = readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(PAGES, name), 'utf8'));

test('every link to the reference names a call that it has a page for', () => {
  const [ledger = [], wallets = [], account = []] = ['ledger', 'wallets', 'account'].map(pagesOf);
  const links = SOURCES.flatMap((text) => [
    ...[...text.matchAll(NAMED)].map(([, , name, service]) => ({
      name,
      // The note of a cost names operations of the wallet service alone.
      known: service === 'ledger' ? ledger : [...wallets, ...(service ? [] : account)],
    })),
    ...[...text.matchAll(TRIED)].map(([, name]) => ({ name, known: ledger })),
  ]);
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ name = '', known }) => !known.includes(name)).map(({ name }) => name)).toEqual([]);
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
