import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { serviceError } from '../../../core/service-error.ts';
import { createNonce, OWN_SITE_HEADERS, pageHeaders, socketSources } from '../docs/page-headers.ts';
import { sendPage, acceptedCoding } from '../docs/send-page.ts';
import type { BaseUrlOf } from '../../http/base-url.ts';
import type { HttpHandler } from '../../http/http-server.ts';
import { pathOf } from '../../http/target.ts';
import { placeBuiltPage } from './built-page.ts';

export type DashboardOptions = {
  readonly baseUrlOf: BaseUrlOf;
  /** Folder of the built page. Default: where `make dashboard` writes it. */
  readonly folder?: URL;
};

/** The dashboard is served at this path and below it. */
export const DASHBOARD_PATH = '/dashboard';

/** The longest path that has the page, in slashes: it names each of its assets relative to the path, with a step for each of them. */
const MAX_SLASHES = 16;
const ASSETS = `${DASHBOARD_PATH}/assets/`;
const BUILT = new URL('../../../../dist/dashboard/', import.meta.url);

/**
 * The web app: its assets below `/dashboard/assets/`, and its page at every other path. The build is read when the dashboard is
 * first opened; no path of a request is ever looked up on the disk. A failure to read is not kept.
 *
 * The handler throws ServiceError `dashboardNotBuilt`, `notFound` for an unknown asset or a path with more than 16 slashes, and `readOnlyPath` for methods other than
 * GET and HEAD.
 */
export function createDashboard({ baseUrlOf, folder = BUILT }: DashboardOptions): HttpHandler {
  let reading: Promise<DashboardBuild> | undefined;
  const read = (): Promise<DashboardBuild> => {
    reading ??= readBuild(folder);
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
  return async (request, response) => {
    for (const [name, value] of Object.entries(OWN_SITE_HEADERS)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
    const path = pathOf(request.url ?? '');
    const { page, assets } = await read();
    if (path.startsWith(ASSETS)) {
      const asset = assets.get(path.slice(ASSETS.length));
      if (asset === undefined) throw serviceError('notFound', { path: DASHBOARD_PATH });
      sendBuilt(asset, request, response);
      return;
    }
    if (path.split('/').length - 1 > MAX_SLASHES) throw serviceError('notFound', { path: DASHBOARD_PATH });
    const nonce = createNonce();
    const headers = pageHeaders({ nonce, connect: socketSources(baseUrlOf(request)) });
    sendPage(request, response, { body: Buffer.from(placeBuiltPage(page, { path, nonce })), headers });
  };
}

/** The name of an asset changes with its content, so that it may be kept for good (RFC 8246). */
function sendBuilt({ type, bodies }: BuiltAsset, request: IncomingMessage, response: ServerResponse): void {
  const coding = acceptedCoding(request.headers['accept-encoding']);
  const body = bodies[coding];
  response.writeHead(200, {
    'content-type': type,
    'content-length': String(body.length),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(coding !== 'identity' && { 'content-encoding': coding }),
  });
  response.end(body);
}

/** A built file in each form that it is sent in. */
type BuiltAsset = {
  readonly type: string;
  readonly bodies: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>>;
};

/** The output of `make dashboard`. */
type DashboardBuild = {
  /** index.html, with a placeholder in the place of the nonce. */
  readonly page: string;
  /** The assets by their file name, which holds a digest of the content. */
  readonly assets: ReadonlyMap<string, BuiltAsset>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/**
 * Reads the built files into memory: what is served is one build, whatever happens to the folder later.
 *
 * @throws ServiceError dashboardNotBuilt.
 */
export async function readBuild(folder: URL): Promise<DashboardBuild> {
  try {
    const assets = new URL('assets/', folder);
    const [page, names] = await Promise.all([
      readFile(new URL('index.html', folder), 'utf8'),
      readdir(assets),
    ]);
    const built = names.flatMap((name) => {
      const type = TYPES[extname(name)];
      return type === undefined ? [] : [readAsset(assets, name, type)];
    });
    return { page, assets: new Map(await Promise.all(built)) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw serviceError('dashboardNotBuilt', {}, error);
    throw error;
  }
}

async function readAsset(folder: URL, name: string, type: string): Promise<readonly [string, BuiltAsset]> {
  const [identity, gzip, br] = await Promise.all(
    ['', '.gz', '.br'].map((ending) => readFile(new URL(`${name}${ending}`, folder))),
  );
  if (identity === undefined || gzip === undefined || br === undefined)
    throw serviceError('dashboardNotBuilt');
  return [name, { type, bodies: { identity, gzip, br } }];
}
