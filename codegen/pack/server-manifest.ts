import { BUNDLED, neededByBundled } from './bundled-packages.ts';
import { OLDEST_NODE } from './client-manifest.ts';
import type { RootManifest } from './root-manifest.ts';

/** Optional packages: the mock of the wallet service needs one, and contract runs that write need the others. */
const PEERS = {
  '@solana/spl-token': '0.4.x',
  '@solana/web3.js': '1.x',
  '@stoplight/prism-cli': '5.x',
};

/** The package.json of keyslot. Its dependencies are those of the project, at the same versions, but for Node: a machine has its own. */
export const serverManifest = (root: RootManifest) => {
  const { node: _pinned, ...dependencies } = root.dependencies;
  return {
    name: 'keyslot',
    version: root.version,
    description: root.description,
    license: root.license,
    type: 'module',
    engines: { node: `>=${OLDEST_NODE.major}.${OLDEST_NODE.minor}` },
    bin: { keyslot: 'bin/keyslot.js' },
    files: ['bin', 'src', 'generated', 'runtime', 'dist/dashboard', 'empty-store-*'],
    dependencies: { ...dependencies, ...neededByBundled(root, 'dependencies') },
    bundleDependencies: Object.keys(BUNDLED),
    optionalDependencies: {
      ...root.optionalDependencies,
      ...neededByBundled(root, 'optionalDependencies'),
    },
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  };
};
