import { execFileSync } from 'node:child_process';
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
import { bundledManifests } from './bundled-packages.ts';
import { serverManifest } from './server-manifest.ts';
import { writeSbom } from './write-sbom.ts';

const LAUNCHER = fileURLToPath(new URL('keyslot.js', import.meta.url));
const EMPTY_STORE = join(ROOT, 'src/store/make-empty-store.ts');
const README = fileURLToPath(new URL('server-readme.md', import.meta.url));
/** Files that the compiler does not emit: scripts, documents, pages and migrations. */
const IS_ASSET = /(?<!\.ts|\.md)$/;
/** The web app: the output of `make dashboard` is packed, but not its sources. */
const DASHBOARD = { sources: /^src\/dashboard\//, built: 'dist/dashboard' };

/**
 * Compiles the server and its command line to JavaScript and packs them with the files that they read as a tarball in `out`. The layout is
 * that of a checkout, so that relative paths stay the same. The list of what it installs (SBOM) is written next to it.
 *
 * @returns the path of the tarball.
 * @throws Error of the compiler or of npm, after they have printed the reason.
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
  const manifest = serverManifest(root);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  bundle(folder, root);
  execFileSync(process.execPath, [EMPTY_STORE, folder], { stdio: ['ignore', 2, 2] });
  copyFileSync(LAUNCHER, join(folder, 'bin/keyslot.js'));
  chmodSync(join(folder, 'bin/keyslot.js'), 0o755);
  copyFileSync(README, join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const tarball = join(resolve(out), packFolder(folder, resolve(out)));
  writeSbom(tarball.replace(/\.tgz$/, '.cdx.json'), manifest, root);
  return tarball;
};

const bundle = (folder: string, root: RootManifest): void => {
  for (const [name, manifest] of bundledManifests(root)) {
    const copy = join(folder, 'node_modules', name);
    cpSync(join(ROOT, 'node_modules', name), copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
};

const copyAssets = (folder: string, part: string): void => {
  for (const path of filesBelow(part).filter((each) => IS_ASSET.test(each)))
    cpSync(join(ROOT, path), join(folder, path));
};

/** All sources, since nothing imports threads and child processes. */
const sourcesBelow = (part: string): readonly string[] =>
  filesBelow(part).filter((path) => path.endsWith('.ts'));

const filesBelow = (part: string): readonly string[] =>
  readdirSync(join(ROOT, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .filter((path) => !DASHBOARD.sources.test(path));
