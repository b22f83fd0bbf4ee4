import type { RootManifest } from './root-manifest.ts';

const ENTRY = './lib/generated/package';
const ACCOUNT_ENTRY = './lib/generated/account/package';
const STREAM_ENTRY = './lib/generated/stream/package';
/** What ./stream needs, and nothing else. */
const STREAM_PEERS = ['@bufbuild/protobuf', '@grpc/grpc-js'];

/** The package.json of @keyslot/client. It has no dependencies; who uses ./stream installs its peers. */
export const clientManifest = ({ version, license, dependencies }: RootManifest) => ({
  name: '@keyslot/client',
  version,
  description:
    'Typed clients of the Solana JSON-RPC ledger methods and of the Keyslot wallet and account services, and of topic streams over gRPC: u64 as bigint, streams, typed errors, no dependencies.',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: {
    '.': { types: `${ENTRY}.d.ts`, default: `${ENTRY}.js` },
    './account': { types: `${ACCOUNT_ENTRY}.d.ts`, default: `${ACCOUNT_ENTRY}.js` },
    './stream': { types: `${STREAM_ENTRY}.d.ts`, default: `${STREAM_ENTRY}.js` },
    './package.json': './package.json',
  },
  types: `${ENTRY}.d.ts`,
  files: ['lib'],
  peerDependencies: Object.fromEntries(STREAM_PEERS.map((name) => [name, `^${dependencies[name]}`])),
  peerDependenciesMeta: Object.fromEntries(STREAM_PEERS.map((name) => [name, { optional: true }])),
});
