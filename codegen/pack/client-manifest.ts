import type { RootManifest } from './root-manifest.ts';

const ENTRY = './lib/generated/package';
const ACCOUNT_ENTRY = './lib/generated/account/package';
export const STREAM_ENTRY = './lib/generated/stream/package';
/** The path of ./localnet in the package. */
export const LOCALNET_ENTRY = './lib/src/localnet/start-localnet';
/** The oldest Node with zstd: for ./localnet and the package keyslot. The rest of this package runs in that of `engines`, and in browsers. */
export const OLDEST_NODE = { major: 22, minor: 15 } as const;
/** The packages that only ./stream needs. */
const STREAM_PEERS = ['@bufbuild/protobuf', '@grpc/grpc-js'];
/** The runtime of ./localnet, with an exact version: it is called below its public interface. */
const RUNTIME = 'litesvm';

/** Packages of ./localnet that are not part of its one file. */
export const LOCALNET_PEERS = [RUNTIME];

/** The package.json of @keyslot/client. It has no dependencies; ./stream and ./localnet need peers. */
export const clientManifest = ({ version, license, dependencies }: RootManifest) => {
  const peers = {
    ...Object.fromEntries(STREAM_PEERS.map((name) => [name, `^${dependencies[name]}`])),
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

/** An entry that throws an error about a missing package; `require` cannot await it. */
const checked = (name: string, module: string) => ({
  types: `${module}.d.ts`,
  require: `${module}.js`,
  default: `./entries/${name}.js`,
});
