import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LOCALNET_ENTRY, OLDEST_NODE, STREAM_ENTRY } from './client-manifest.ts';
import { ROOT } from './compile.ts';

type Entry = {
  /** Its import path: `stream` of `@keyslot/client/stream`. */
  readonly name: string;
  /** The module of the package with all its exports, without an extension. */
  readonly module: string;
  /** The same module in this project. */
  readonly source: string;
  /** The packages that users install, as npm arguments. */
  readonly packages: readonly string[];
  /** Code that runs before anything is loaded. */
  readonly check: string;
};

/**
 * Writes the entries that need packages which not every user has. If one is missing, the import fails with instructions. They await what
 * they export: `require` takes the modules themselves.
 */
export const writeEntries = async (
  folder: string,
  peers: Readonly<Record<string, string | undefined>>,
  sources: { readonly stream: string; readonly localnet: string },
): Promise<void> => {
  const named = (...names: readonly string[]) => names.map((name) => `${name}@${peers[name] ?? ''}`);
  mkdirSync(join(folder, 'entries'));
  const stream = { name: 'stream', module: STREAM_ENTRY, source: sources.stream, check: '' };
  const localnet = { name: 'localnet', module: LOCALNET_ENTRY, source: sources.localnet, check: nodeCheck() };
  await writeEntry(folder, { ...stream, packages: named('@grpc/grpc-js', '@bufbuild/protobuf') });
  await writeEntry(folder, { ...localnet, packages: named('litesvm') });
};

const writeEntry = async (
  folder: string,
  { name, module, source, packages, check }: Entry,
): Promise<void> => {
  const exported: unknown = await import(pathToFileURL(join(ROOT, source)).href);
  const names = Object.keys(exported as object);
  const text = `${check}const all = await import('.${module}.js').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new Error('@keyslot/client/${name} needs packages that are not installed: npm install ${packages.join(' ')}', { cause: error });
});
${names.map((each) => `export const ${each} = all.${each};\n`).join('')}`;
  writeFileSync(join(folder, 'entries', `${name}.js`), text);
};

const nodeCheck = (): string => `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${OLDEST_NODE.major} || (major === ${OLDEST_NODE.major} && minor < ${OLDEST_NODE.minor}))
  throw new Error(\`@keyslot/client/localnet needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer, and this is Node \${process.versions.node}\`);
`;
