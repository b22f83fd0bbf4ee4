import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { serviceError } from '../../../core/service-error.ts';
import type { BaseUrlOf } from '../../http/base-url.ts';
import type { HttpHandler } from '../../http/http-server.ts';
import { pathOf } from '../../http/target.ts';
import { readSessionCookie } from '../../rest/session-cookie.ts';
import { placeBuiltPage, wayToRoot } from '../dashboard/built-page.ts';
import { createNonce, OWN_SITE_HEADERS, pageHeaders, socketSources } from './page-headers.ts';
import { acceptsGzip, sendPage } from './send-page.ts';

/** A network in the reference: its JSON-RPC path and its name. */
export type DocumentedNetwork = { readonly rpcPath: string; readonly label: string };

export type ReferenceOptions = {
  readonly networks: readonly DocumentedNetwork[];
  readonly baseUrlOf: BaseUrlOf;
  /** Returns the address of the topic streams for clients that know the server by a base URL, if it is known. */
  readonly grpcUrlOf: (baseUrl: string) => string | undefined;
};

/** The reference is served at this path and below it. */
export const DOCS_PATH = '/docs';

/** `make generate` renders the pages; `make dashboard` builds their frame, with scripts and styles next to those of the dashboard. */
const RENDERED = new URL('../../../../generated/reference/', import.meta.url);
const FRAME = new URL('../../../../dist/dashboard/reference.html', import.meta.url);

/** Sections in the order of the navigation. */
const SECTIONS = ['ledger', 'wallets', 'account', 'streams'] as const;

/**
 * The reference: a page for each method, operation, subscription and topic, readable as it comes, with a script that searches and makes
 * calls. A path is looked up among the rendered pages, never on the disk. None of it contains a credential; of the request it has only
 * whether a dashboard session's cookie came with it. Addresses of the reference before this one lead to the page of what they named.
 *
 * The handler throws ServiceError `dashboardNotBuilt`, and `readOnlyPath` for methods other than GET and HEAD.
 */
export function createReference(options: ReferenceOptions): HttpHandler {
  let reading: Promise<Rendered> | undefined;
  const read = (): Promise<Rendered> => {
    reading ??= readRendered();
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
    const path = pathOf(request.url ?? '');
    const older = olderAddress(path, request.url ?? '');
    if (older !== undefined) {
      response.writeHead(308, { ...OWN_SITE_HEADERS, location: older, 'content-length': '0' }).end();
      return;
    }
    await sendReference(await read(), { path, request, response }, options);
  };
}

/** Where an address of the earlier reference leads, relative to it. Its fragment, which names the operation, stays with the browser. */
function olderAddress(path: string, url: string): string | undefined {
  if (path === `${DOCS_PATH}/`) return '../docs';
  if (path === `${DOCS_PATH}/wallets.json`) return '../v1/openapi.json';
  if (path === `${DOCS_PATH}/account.json`) return '../account/v1/openapi.json';
  if (path !== DOCS_PATH) return undefined;
  const asked = new URLSearchParams(url.split('?')[1]);
  const section = SECTIONS.find((name) => asked.has(name));
  return section && `docs/${section}`;
}

/** The pages by their path below `/docs`, such as `ledger/getBalance`, the first by an empty one; and what is around each of them. */
type Rendered = {
  readonly frame: string;
  readonly navigation: string;
  readonly pages: ReadonlyMap<string, string>;
};

/** @throws ServiceError dashboardNotBuilt. */
async function readRendered(): Promise<Rendered> {
  try {
    const folder = new URL('pages/', RENDERED);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html'));
    const [frame, navigation, texts] = await Promise.all([
      readFile(FRAME, 'utf8'),
      Promise.all(SECTIONS.map((name) => readFile(new URL(`navigation/${name}.html`, RENDERED), 'utf8'))),
      Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8'))),
    ]);
    return {
      frame,
      navigation: navigation.join(''),
      pages: new Map(names.map((name, index) => [name.replace(/(^index)?\.html$/, ''), texts[index] ?? ''])),
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw serviceError('dashboardNotBuilt', {}, error);
    throw error;
  }
}

type Asked = {
  readonly path: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

const NOT_FOUND = `<article class="page"><header class="call-head"><h1>Page not found</h1>
<p class="lead">The reference has no such page. Search for the call, or begin with the <a href="./docs">overview</a>.</p></header></article>`;

const compress = promisify(gzip);

async function sendReference(
  { frame, navigation, pages }: Rendered,
  { path, request, response }: Asked,
  { networks, baseUrlOf, grpcUrlOf }: ReferenceOptions,
): Promise<void> {
  const baseUrl = baseUrlOf(request);
  const name = path.slice(DOCS_PATH.length + 1);
  const page = pages.get(name);
  const nonce = createNonce();
  const served = {
    networks,
    grpcUrl: grpcUrlOf(baseUrl),
    isSignedIn: readSessionCookie(request.headers, baseUrl) !== undefined,
  };
  // Functions, as a text may have what `replace` takes for a pattern. The nonce is in the frame before anything else is.
  const html = placeBuiltPage(frame, { path, nonce })
    .replace('<title>', () => (page === undefined || name === '' ? '<title>' : `<title>${titleOf(name)} · `))
    .replace('name="keyslot-served" content=""', () => `name="keyslot-served" content="${quoted(served)}"`)
    .replace('<!--navigation-->', () =>
      navigation.replace(`"./docs/${name}"`, `"./docs/${name}" aria-current="page"`),
    )
    .replace('<!--page-->', () => page ?? NOT_FOUND)
    .replaceAll('"./', `"${wayToRoot(path)}`);
  const isCompressed = acceptsGzip(request.headers['accept-encoding']);
  response.appendHeader('vary', 'accept-encoding');
  sendPage(request, response, {
    status: page === undefined ? 404 : 200,
    body: isCompressed ? await compress(html) : Buffer.from(html),
    headers: {
      ...pageHeaders({ nonce, connect: socketSources(baseUrl) }),
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  });
}

/** `getBalance` of `ledger/getBalance`, `Wallets` of `wallets`. */
function titleOf(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  return name.includes('/') ? last : `${last[0]?.toUpperCase()}${last.slice(1)}`;
}

/** A value as JSON in an attribute. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
