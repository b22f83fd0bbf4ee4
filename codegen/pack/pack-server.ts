import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, packFolder, pointToOutputs, ROOT } from './compile.ts';
import type { RootManifest } from './root-manifest.ts';
import { BUNDLED, serverManifest } from './server-manifest.ts';

const LAUNCHER = fileURLToPath(new URL('keyslot.js', import.meta.url));
const README = fileURLToPath(new URL('server-readme.md', import.meta.url));
/** Files that the compiler does not emit: scripts, documents, pages and migrations. */
const IS_ASSET = /(?<!\.ts|\.md)$/;
/** The web app: what `make dashboard` built of it is packed, its sources are not. */
const DASHBOARD = { sources: /^src\/dashboard\//, built: 'dist/dashboard' };

/**
 * Compiles the server and its command line to JavaScript and packs it with what it reads as a tarball in `out`. Its files lie as
 * in a checkout, so that the paths from one to another are the same.
 *
 * @returns the path of the tarball.
 * @throws Error of the compiler or of npm, which have then written why.
 */
export const packServer = (out: string): string => {
  const folder = resolve(out, 'keyslot');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const part of ['src', 'generated']) copyAssets(folder, part);
  cpSync(join(ROOT, DASHBOARD.built), join(folder, DASHBOARD.built), { recursive: true });
  pointToOutputs(join(folder, 'generated'), '.js');
  const options = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'esnext.iterator'],
    types: ['node'],
  };
  compile(folder, { files: sourcesBelow('src'), out: '.', options: { ...options, skipLibCheck: true } });
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as RootManifest;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(serverManifest(root), null, 2)}\n`);
  bundle(folder, root);
  copyFileSync(LAUNCHER, join(folder, 'bin/keyslot.js'));
  chmodSync(join(folder, 'bin/keyslot.js'), 0o755);
  copyFileSync(README, join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return join(resolve(out), packFolder(folder, resolve(out)));
};

const bundle = (folder: string, { dependencies }: RootManifest): void => {
  const copy = join(folder, 'node_modules', BUNDLED);
  cpSync(join(ROOT, 'node_modules', BUNDLED), copy, { recursive: true });
  const path = join(copy, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { readonly peerDependencies: object };
  const peerDependencies = { ...manifest.peerDependencies, fastify: dependencies.fastify };
  writeFileSync(path, `${JSON.stringify({ ...manifest, peerDependencies }, null, 2)}\n`);
};

const copyAssets = (folder: string, part: string): void => {
  for (const path of filesBelow(part).filter((each) => IS_ASSET.test(each)))
    cpSync(join(ROOT, path), join(folder, path));
};

/** All of them: threads and child processes are imported by nothing. */
const sourcesBelow = (part: string): readonly string[] =>
  filesBelow(part).filter((path) => path.endsWith('.ts'));

const filesBelow = (part: string): readonly string[] =>
  readdirSync(join(ROOT, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .filter((path) => !DASHBOARD.sources.test(path));
