import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientManifest, type RootManifest } from './client-manifest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/tsgo/bin/tsc');
const README = fileURLToPath(new URL('client-readme.md', import.meta.url));
const ENTRY = 'generated/package.ts';
/** The client of streams, which is for Node. */
const STREAM_ENTRY = 'generated/stream/package.ts';

/**
 * Compiles the generated clients to JavaScript with types and packs it as a tarball in `out`. Nothing of Node is known to the
 * compiler here, but for the client of streams: what compiles, runs wherever fetch does.
 *
 * @returns the path of the tarball.
 * @throws Error of the compiler or of npm, which have then written why.
 */
export const packClient = (out: string): string => {
  const folder = resolve(out, 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(folder, ENTRY, { lib: ['es2022', 'dom'], types: [] });
  compile(folder, STREAM_ENTRY, { lib: ['es2024'], types: ['node'] });
  pointToOutputs(folder);
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as RootManifest;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(clientManifest(root), null, 2)}\n`);
  copyFileSync(README, join(folder, 'README.md'));
  return join(resolve(out), packFolder(folder, resolve(out)));
};

const compile = (folder: string, entry: string, platform: Readonly<Record<string, unknown>>): void => {
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    ...platform,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    rootDir: ROOT,
    outDir: join(folder, 'lib'),
  };
  // The type of the modules: the compiler asks the package.json above the sources, which says it.
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [join(ROOT, entry)] }));
  execFileSync(process.execPath, [COMPILER, '-p', config], { stdio: ['ignore', 2, 2] });
  rmSync(config);
};

const pointToOutputs = (folder: string): void => {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts')) pointToOutput(join(folder, path));
  }
};

/** The compiler rewrites the imports of `.ts` files in what it emits, but not in declarations. */
const pointToOutput = (declaration: string): void => {
  const text = readFileSync(declaration, 'utf8');
  writeFileSync(declaration, text.replace(/( from '\.[^']*)\.ts';$/gm, "$1.js';"));
};

/** Runs `npm pack`. @returns the name of the tarball. */
const packFolder = (folder: string, destination: string): string => {
  const printed = execFileSync('npm', ['pack', '--silent', '--offline', '--pack-destination', destination], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  return printed.trim();
};
