import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ScriptTarget, transpileDeclaration } from 'typescript';
import { LOCALNET_ENTRY, OLDEST_NODE, LOCALNET_PEERS } from './client-manifest.ts';
import { ROOT } from './compile.ts';

const NODE = `node${OLDEST_NODE.major}.${OLDEST_NODE.minor}`;

/**
 * The head of the file: `require` for CommonJS parts, and the clock and timers as they are when the file is imported, so that tests that
 * fake those of their process later do not stop the ledgers in it.
 */
const HEAD = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { Date, performance, setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;`;

/** The declarations for users of the package. */
const DECLARED = ['src/localnet/start-localnet', 'src/localnet/start-options'];

/** The name of a package in the path of one of its files; the folder of packages may be a link. */
const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/;

/**
 * Bundles the embedded ledger into one file of the package, which loads faster than its 350 modules, and puts the licences of its parts
 * next to the package.json.
 */
export const bundleLocalnet = async (folder: string): Promise<void> => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'src/localnet/start-localnet.ts')],
    outfile: join(folder, `${LOCALNET_ENTRY}.js`),
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: NODE,
    // ws tries the last two, and continues without them.
    external: [...LOCALNET_PEERS, `${LOCALNET_PEERS[0]}/*`, 'bufferutil', 'utf-8-validate'],
    banner: { js: HEAD },
    legalComments: 'inline',
    logLevel: 'warning',
    metafile: true,
  });
  for (const path of DECLARED)
    writeFileSync(join(folder, 'lib', `${path}.d.ts`), declarationOf(`${path}.ts`));
  const bundled = new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const licences = [...bundled].sort().map((name) => `${name}\n\n${licenceOf(name)}`);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licences.join('\n\n'));
};

const declarationOf = (fileName: string): string => {
  const compilerOptions = { isolatedDeclarations: true, target: ScriptTarget.ES2022 };
  return transpileDeclaration(readFileSync(join(ROOT, fileName), 'utf8'), { fileName, compilerOptions })
    .outputText;
};

const licenceOf = (name: string): string =>
  readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8').trim();
