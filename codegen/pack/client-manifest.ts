/** What the client takes from the package.json of the project. */
export type RootManifest = {
  readonly version: string;
  readonly license: string;
};

const ENTRY = './lib/package';

/** The package.json of @keyslot/client. It has no dependencies. */
export const clientManifest = ({ version, license }: RootManifest) => ({
  name: '@keyslot/client',
  version,
  description:
    'Typed clients of the Solana JSON-RPC ledger methods and of the Keyslot wallet service: u64 as bigint, streams, typed errors, no dependencies.',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: `${ENTRY}.d.ts`, default: `${ENTRY}.js` }, './package.json': './package.json' },
  types: `${ENTRY}.d.ts`,
  files: ['lib'],
});
