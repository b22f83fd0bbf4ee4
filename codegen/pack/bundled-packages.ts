import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compile.ts';
import type { RootManifest } from './root-manifest.ts';

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** Leaves dependencies out that Keyslot never loads. */
const without =
  (...names: readonly string[]) =>
  ({ dependencies = {}, ...manifest }: Manifest): Manifest => {
    const missing = names.filter((name) => dependencies[name] === undefined);
    if (missing.length > 0) throw new Error(`no longer a dependency: ${missing.join(', ')}`);
    const kept = Object.entries(dependencies).filter(([name]) => !names.includes(name));
    return { ...manifest, dependencies: Object.fromEntries(kept) };
  };

/**
 * Packages of which keyslot contains a copy, because npm would install too much for them; what the copy's package.json says instead. The
 * code in them is unchanged, and `npm audit` and `npm sbom` know them.
 */
export const BUNDLED: Readonly<Record<string, (manifest: Manifest, root: RootManifest) => Manifest>> = {
  // Its peer is Fastify 4, but it works with the project's version (`overrides` in package.json).
  '@ts-rest/fastify': ({ peerDependencies, ...manifest }, { dependencies }) => ({
    ...manifest,
    peerDependencies: { ...peerDependencies, ...pick(dependencies, 'fastify') },
  }),
  // Loaded by its services for channelz and load reports alone: 27 packages.
  '@grpc/grpc-js': without('@grpc/proto-loader'),
  // Loaded by its index.js, and Keyslot calls the runtime below that: 52 packages.
  litesvm: without('@solana/kit', '@solana-program/system', '@solana-program/token'),
};

/** The package.json of each copy. */
export const bundledManifests = (
  root: RootManifest,
): readonly (readonly [name: string, manifest: Manifest])[] =>
  Object.entries(BUNDLED).map(([name, change]) => {
    const path = join(ROOT, 'node_modules', name, 'package.json');
    return [name, change(JSON.parse(readFileSync(path, 'utf8')) as Manifest, root)];
  });

/** The dependencies of the copies: npm installs none for a package inside another one, so keyslot names them too. */
export const neededByBundled = (
  root: RootManifest,
  kind: 'dependencies' | 'optionalDependencies',
): Readonly<Record<string, string>> =>
  Object.fromEntries(bundledManifests(root).flatMap(([, manifest]) => Object.entries(manifest[kind] ?? {})));

const pick = (versions: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(versions).filter(([each]) => each === name));
