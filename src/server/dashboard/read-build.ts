import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { serviceError } from '../../base/service-error.ts';

/** A built file in each form that it is sent in. */
export type BuiltAsset = {
  readonly type: string;
  readonly bodies: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>>;
};

/** What `make dashboard` built. */
export type DashboardBuild = {
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
