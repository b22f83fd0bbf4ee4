/** What the client takes from the package.json of the project. */
export type RootManifest = {
  readonly version: string;
  readonly license: string;
};

const ENTRY = './lib/ledger/package';

/** The package.json of @keyslot/client. It has no dependencies. */
export const clientManifest = ({ version, license }: RootManifest) => ({
  name: '@keyslot/client',
  version,
  description:
    'Typed client of the Solana JSON-RPC ledger methods: u64 as bigint, typed errors, no dependencies.',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: `${ENTRY}.d.ts`, default: `${ENTRY}.js` }, './package.json': './package.json' },
  types: `${ENTRY}.d.ts`,
  files: ['lib'],
});
