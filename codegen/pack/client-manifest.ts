import type { RootManifest } from './root-manifest.ts';

const ENTRY = './lib/generated/package';
const ACCOUNT_ENTRY = './lib/generated/account/package';
export const STREAM_ENTRY = './lib/generated/stream/package';
/** Where ./localnet is in the package. */
export const LOCALNET_ENTRY = './lib/src/localnet/start-localnet';
/** The oldest Node that has what the ledger uses: zstd. The rest of the package runs in that of `engines`, and in browsers. */
export const LOCALNET_NODE = { major: 22, minor: 15 } as const;
/** What ./stream needs, and nothing else. */
const STREAM_PEERS = ['@bufbuild/protobuf', '@grpc/grpc-js'];
/** The runtime of ./localnet: it is called below its public interface, so its version is exact. */
const RUNTIME = 'litesvm';
/** Reads programs for ./localnet; the runtime brings it. */
const KIT = '@solana/kit';

/** Packages of ./localnet that are not part of its one file. */
export const LOCALNET_PEERS = [RUNTIME, KIT];

/** The package.json of @keyslot/client. It has no dependencies; ./stream and ./localnet need peers. */
export const clientManifest = ({ version, license, dependencies }: RootManifest) => {
  const peers = {
    ...Object.fromEntries([...STREAM_PEERS, KIT].map((name) => [name, `^${dependencies[name]}`])),
    [RUNTIME]: dependencies[RUNTIME],
  };
  return {
    name: '@keyslot/client',
    version,
    description:
      'Typed clients of the Solana JSON-RPC ledger methods and of the Keyslot wallet and account services, of topic streams over gRPC, and an embedded ledger for tests: u64 as bigint, streams, typed errors, no dependencies.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { types: `${ENTRY}.d.ts`, default: `${ENTRY}.js` },
      './account': { types: `${ACCOUNT_ENTRY}.d.ts`, default: `${ACCOUNT_ENTRY}.js` },
      './localnet': checked('localnet', LOCALNET_ENTRY),
      './stream': checked('stream', STREAM_ENTRY),
      './package.json': './package.json',
    },
    types: `${ENTRY}.d.ts`,
    files: ['lib', 'entries', 'THIRD-PARTY.txt'],
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
  };
};

/** An entry that says what it lacks; `require` cannot await that. */
const checked = (name: string, module: string) => ({
  types: `${module}.d.ts`,
  require: `${module}.js`,
  default: `./entries/${name}.js`,
});
