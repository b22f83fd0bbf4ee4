import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const COMPILER = join(ROOT, 'node_modules/tsgo/bin/tsc');

/** The entry files, as paths from the root, and the output folder for them and their imports. */
export type Compilation = {
  readonly files: readonly string[];
  readonly out: string;
  readonly options: Readonly<Record<string, unknown>>;
};

/**
 * Compiles TypeScript to JavaScript that imports `.js` files.
 *
 * @throws Error of the compiler, after it has printed the reason.
 */
export const compile = (folder: string, { files, out, options }: Compilation): void => {
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    typeRoots: [join(ROOT, 'node_modules/@types')],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    rootDir: ROOT,
    outDir: join(folder, out),
    ...options,
  };
  // The module type: the compiler reads it from the package.json above the sources.
  writeFileSync(config, JSON.stringify({ compilerOptions, files: files.map((path) => join(ROOT, path)) }));
  execFileSync(process.execPath, [COMPILER, '-p', config], { stdio: ['ignore', 2, 2] });
  rmSync(config);
};

/** The compiler rewrites the imports of `.ts` files in the code that it emits; this does it in all other files with this ending. */
export const pointToOutputs = (folder: string, ending: '.d.ts' | '.js'): void => {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith(ending)) continue;
    const text = readFileSync(join(folder, path), 'utf8');
    const pointed = text.replace(/( from '\.[^']*)\.ts';$/gm, "$1.js';");
    if (pointed !== text) writeFileSync(join(folder, path), pointed);
  }
};

/** Runs `npm pack`. @returns the name of the tarball. @throws Error of npm, after it has printed the reason. */
export const packFolder = (folder: string, destination: string): string => {
  const printed = execFileSync('npm', ['pack', '--silent', '--offline', '--pack-destination', destination], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  return printed.trim();
};
