import type { Case } from '../../../runtime/contract-case.ts';

const AT = { commitment: 'confirmed' } as const;

const show = (method: string, name: string, params: unknown): Case => ({
  method,
  name,
  kind: 'example',
  params,
  expect: { kind: 'result' },
});

const accounts = (name: string, addresses: readonly string[]): Case =>
  show('getMultipleAccounts', name, [addresses, { encoding: 'jsonParsed', ...AT }]);

const transaction = (name: string, encoding: 'json' | 'jsonParsed'): Case =>
  show('getTransaction', `${name} as ${encoding}`, [
    `$${name}`,
    { encoding, maxSupportedTransactionVersion: 0, ...AT },
  ]);

/** Calls beyond the examples of the spec whose answers show the rarer branches of results. */
export const GALLERY: readonly Case[] = [
  accounts('sysvars', [
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarEpochSchedu1e111111111111111111111111',
    'SysvarFees111111111111111111111111111111111',
    'SysvarRecentB1ockHashes11111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'SysvarS1otHashes111111111111111111111111111',
    'SysvarS1otHistory11111111111111111111111111',
    'SysvarStakeHistory1111111111111111111111111',
    'SysvarLastRestartS1ot1111111111111111111111',
    'SysvarEpochRewards1111111111111111111111111',
  ]),
  accounts('vote and configuration', ['$voteAccount', 'StakeConfig11111111111111111111111111111111']),
  accounts('token accounts of every form', [
    '$multisig',
    '$nativeAccount',
    '$extensionMint',
    '$extensionAccount',
    '$scaledMint',
  ]),
  accounts('a program and its buffers', [
    '$tokenProgram',
    '$tokenProgramData',
    '$programBuffer',
    '$blankBuffer',
  ]),
  accounts('stake and vote accounts', ['$stakeAccount', '$blankStakeAccount', '$idleVoteAccount']),
  show('getProgramAccounts', 'stake accounts', [
    'Stake11111111111111111111111111111111111111',
    { encoding: 'jsonParsed', ...AT },
  ]),
  ...[
    'mintSignature',
    'tokenSetupSignature',
    'tokenTourSignature',
    'multisigSignature',
    'multisigTourSignature',
    'nativeSignature',
    'extensionSignature',
    'metadataSignature',
    'seedSignature',
    'nonceTourSignature',
    'lookupTableSignature',
    'bufferSignature',
    'stakeSignature',
    'voteSignature',
    'unexecutedSignature',
    'unknownInstructionSignature',
    'rentlessSignature',
  ].map((name) => transaction(name, 'jsonParsed')),
  transaction('tokenTourSignature', 'json'),
  show('getBlock', 'the accounts of a failed transaction', [
    '$failedSlot',
    { transactionDetails: 'accounts', maxSupportedTransactionVersion: 0, ...AT },
  ]),
  show('getSignatureStatuses', 'a transaction just sent, and failed ones', [
    ['$justSentSignature', '$unknownInstructionSignature', '$rentlessSignature'],
    { searchTransactionHistory: true },
  ]),
  show('simulateTransaction', 'a program that returns data', ['$returning64', { encoding: 'base64', ...AT }]),
];
