import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLocalnet } from './bundle-localnet.ts';
import { clientManifest } from './client-manifest.ts';
import { compile, packFolder, pointToOutputs, ROOT } from './compile.ts';
import type { RootManifest } from './root-manifest.ts';
import { writeEntries } from './write-entries.ts';

const README = fileURLToPath(new URL('client-readme.md', import.meta.url));
/** The modules that are exported as the package itself and as ./account. */
const ENTRIES = ['generated/package.ts', 'generated/account/package.ts'];
/** The client of streams, which is for Node. */
const STREAM_ENTRY = 'generated/stream/package.ts';

/**
 * Compiles the generated clients to JavaScript with types and packs them as a tarball in `out`. The compiler gets no types of Node, except
 * for the client of streams: the code runs wherever fetch does.
 *
 * @returns the path of the tarball.
 * @throws Error of the compiler or of npm, after they have printed the reason.
 */
export const packClient = async (out: string): Promise<string> => {
  const folder = resolve(out, 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const part = { out: 'lib', options: { declaration: true } };
  const browser = { ...part.options, lib: ['es2022', 'dom'], types: [] };
  compile(folder, { ...part, files: ENTRIES, options: browser });
  const node = { ...part.options, lib: ['es2024'], types: ['node'] };
  compile(folder, { ...part, files: [STREAM_ENTRY], options: node });
  await bundleLocalnet(folder);
  pointToOutputs(folder, '.d.ts');
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as RootManifest;
  const manifest = clientManifest(root);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const localnet = 'src/localnet/start-localnet.ts';
  await writeEntries(folder, manifest.peerDependencies, { stream: STREAM_ENTRY, localnet });
  copyFileSync(README, join(folder, 'README.md'));
  return join(resolve(out), packFolder(folder, resolve(out)));
};
