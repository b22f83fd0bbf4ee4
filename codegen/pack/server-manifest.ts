import type { RootManifest } from './root-manifest.ts';

/** Optional packages: the mock of the wallet service needs one, and contract runs that write need the others. */
const PEERS = {
  '@solana/spl-token': '0.4.x',
  '@solana/web3.js': '1.x',
  '@stoplight/prism-cli': '5.x',
};

/** Its peer is Fastify 4, and it works with ours (`overrides` in package.json): the package holds a copy that says so. */
export const BUNDLED = '@ts-rest/fastify';

/** The package.json of keyslot. Its dependencies are those of the project, at the same versions. */
export const serverManifest = ({
  version,
  description,
  license,
  engines,
  scarfSettings,
  dependencies,
  optionalDependencies,
}: RootManifest) => ({
  name: 'keyslot',
  version,
  description,
  license,
  type: 'module',
  engines,
  scarfSettings,
  bin: { keyslot: 'bin/keyslot.js' },
  files: ['bin', 'src', 'generated', 'runtime', 'dist/dashboard'],
  dependencies,
  bundleDependencies: [BUNDLED],
  optionalDependencies,
  peerDependencies: PEERS,
  peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
});
