import type { OptionSpec } from '../command-spec.ts';

/** The options of `keyslot localnet` that set what its ledger begins with; they mean what they mean to solana-test-validator. */
export const GENESIS_OPTIONS = [
  {
    name: 'account',
    value: 'ADDRESS FILE',
    valueCount: 2,
    summary: 'Load an account from a file of `solana account --output json`; - is the address in the file',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'account-dir',
    value: 'DIRECTORY',
    summary: 'Load every account of a directory of such files',
    isRepeatable: true,
    path: 'directory',
  },
  {
    name: 'bpf-program',
    value: 'ADDRESS FILE',
    valueCount: 2,
    summary: 'Deploy a program that nobody can upgrade; an address may be a key file',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'upgradeable-program',
    value: 'ADDRESS FILE AUTHORITY',
    valueCount: 3,
    summary: 'Deploy a program with its upgrade authority, or none',
    isRepeatable: true,
    path: 'file',
  },
  {
    name: 'clone',
    letter: 'c',
    value: 'ADDRESS',
    summary: 'Copy an account from the node of --url',
    isRepeatable: true,
  },
  {
    name: 'maybe-clone',
    value: 'ADDRESS',
    summary: 'Copy an account from the node of --url if it is there',
    isRepeatable: true,
  },
  {
    name: 'clone-upgradeable-program',
    value: 'ADDRESS',
    summary: 'Copy an upgradeable program and its code from the node of --url',
    isRepeatable: true,
  },
  {
    name: 'url',
    letter: 'u',
    value: 'URL',
    summary: 'Ledger node to copy from: an address, or mainnet-beta, devnet, testnet or localhost',
  },
  {
    name: 'fork',
    value: 'URL',
    summary:
      'Ledger node from which an account is fetched when it is first touched; an address or a name as for --url',
  },
  {
    name: 'cassette',
    value: 'FILE',
    summary: 'File in which what a fork fetches is recorded; without --fork only what is in it can be had',
    path: 'file',
  },
  { name: 'mint', value: 'ADDRESS', summary: 'Address that receives 500 million SOL' },
  { name: 'faucet-sol', value: 'SOL', summary: 'What the faucet has', fallback: '500000000' },
  { name: 'warp-slot', letter: 'w', value: 'SLOT', summary: 'Slot in which the ledger starts' },
  {
    name: 'compute-unit-limit',
    value: 'N',
    summary: 'Compute units of every transaction, whatever it requests',
  },
  { name: 'feature', value: 'ADDRESS', summary: 'Activate a feature gate', isRepeatable: true },
  {
    name: 'deactivate-feature',
    value: 'ADDRESS',
    summary: 'Deactivate a feature gate',
    isRepeatable: true,
  },
] as const satisfies readonly OptionSpec[];
