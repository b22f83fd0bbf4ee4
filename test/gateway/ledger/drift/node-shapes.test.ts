import { expect, test } from 'vitest';
import { check } from './found-in.ts';

// Answers as nodes of 3.1 to 4.2 give them, in the forms that the embedded ledger does not show.

const KEY = 'EHv7fYD9vE2XFxdVKbU3VTuUPy7PXogzrmC8vhJDroUC';
const HASH = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
const context = { slot: 348, apiVersion: '4.2.0' };

const META = {
  err: null,
  status: { Ok: null },
  fee: 5000,
  preBalances: [5, 1],
  postBalances: [0, 1],
  innerInstructions: null,
  logMessages: null,
  preTokenBalances: null,
  postTokenBalances: null,
  rewards: null,
};
const MESSAGE = {
  header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
  accountKeys: [KEY, KEY],
  recentBlockhash: HASH,
  instructions: [{ programIdIndex: 1, accounts: [0], data: '3Bxs', stackHeight: null }],
};
const TRANSACTION = { signatures: [SIGNATURE], message: MESSAGE };
const BLOCK = {
  blockhash: HASH,
  previousBlockhash: HASH,
  parentSlot: 1,
  blockTime: null,
  blockHeight: null,
};
const REWARDS = ['Fee', 'Rent', 'Staking', 'Voting', 'DeactivatedStake', 'VATDebit', null].map(
  (rewardType) => ({
    pubkey: KEY,
    lamports: -5,
    postBalance: 0,
    rewardType,
    commission: rewardType === 'Voting' ? 5 : null,
    ...(rewardType === 'Staking' && { commissionBps: 500 }),
  }),
);
const TABLES = [{ accountKey: KEY, writableIndexes: [1], readonlyIndexes: [] }];
const LIMITS = { priorityFee: 5, computeUnitLimit: null, loadedAccountsDataSizeLimit: 65536, heapSize: null };

/** An account under jsonParsed. */
const parsed = (program: string, type: string, info?: unknown) => ({
  lamports: 1,
  owner: KEY,
  executable: false,
  rentEpoch: 18446744073709552000,
  space: 5,
  data: { program, parsed: info === undefined ? { type } : { type, info }, space: 5 },
});

const VOTE = {
  nodePubkey: KEY,
  authorizedWithdrawer: KEY,
  commission: 5,
  rootSlot: null,
  votes: [{ latency: 1, slot: 5, confirmationCount: 31 }],
  authorizedVoters: [{ epoch: 1, authorizedVoter: KEY }],
  priorVoters: [],
  epochCredits: [{ epoch: 1, credits: '5', previousCredits: '4' }],
  lastTimestamp: { slot: 5, timestamp: 1 },
};
const VOTE_4 = {
  ...VOTE,
  inflationRewardsCommissionBps: 500,
  inflationRewardsCollector: KEY,
  blockRevenueCollector: KEY,
  blockRevenueCommissionBps: 10_000,
  pendingDelegatorRewards: '5',
  blsPubkeyCompressed: null,
};
const STAKE = (delegation: object) => ({
  meta: {
    rentExemptReserve: '5',
    authorized: { staker: KEY, withdrawer: KEY },
    lockup: { unixTimestamp: 0, epoch: 0, custodian: KEY },
  },
  stake: {
    delegation: {
      voter: KEY,
      stake: '5',
      activationEpoch: '1',
      deactivationEpoch: '18446744073709551615',
      ...delegation,
    },
    creditsObserved: 5,
  },
});

const ACCOUNTS: readonly unknown[] = [
  null,
  parsed('vote', 'vote', VOTE),
  parsed('vote', 'vote', VOTE_4),
  parsed('stake', 'delegated', STAKE({})),
  parsed('stake', 'delegated', STAKE({ warmupCooldownRate: 0.25 })),
  parsed('stake', 'initialized', { ...STAKE({}), stake: null }),
  parsed('sysvar', 'rent', { lamportsPerByte: '5080' }),
  parsed('sysvar', 'rent', { lamportsPerByteYear: '3480', exemptionThreshold: 2.0, burnPercent: 50 }),
  parsed('nonce', 'uninitialized'),
  parsed('config', 'validatorInfo', {
    keys: [{ pubkey: KEY, signer: true }],
    configData: { name: 'any', more: [1] },
  }),
  parsed('bpf-upgradeable-loader', 'program', { programData: KEY }),
];

const SIMULATED = {
  err: 'BlockhashNotFound',
  accounts: null,
  fee: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
  loadedAddresses: null,
  logs: [],
  postBalances: null,
  postTokenBalances: null,
  preBalances: null,
  preTokenBalances: null,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0,
};

const RESULTS: readonly (readonly [method: string, result: unknown])[] = [
  ...ACCOUNTS.map((value) => ['getAccountInfo', { context, value }] as const),
  ['getMultipleAccounts', { context, value: ACCOUNTS }],
  ['getBlock', null],
  ['getBlock', { ...BLOCK, rewards: REWARDS, numRewardPartitions: 5, signatures: [] }],
  ['getBlock', BLOCK],
  ['getBlock', { ...BLOCK, transactions: [{ transaction: TRANSACTION, meta: null }] }],
  ['getBlock', { ...BLOCK, transactions: [{ transaction: TRANSACTION, meta: META, version: 'legacy' }] }],
  ['getTransaction', { slot: 5, transaction: TRANSACTION, meta: META, blockTime: null }],
  [
    'getTransaction',
    {
      slot: 5,
      meta: META,
      blockTime: 1,
      version: 0,
      transactionIndex: 3,
      transaction: { ...TRANSACTION, message: { ...MESSAGE, addressTableLookups: TABLES } },
    },
  ],
  [
    'getTransaction',
    {
      slot: 5,
      meta: META,
      blockTime: 1,
      version: 1,
      transactionIndex: 3,
      transaction: { ...TRANSACTION, message: { ...MESSAGE, transactionConfig: LIMITS } },
    },
  ],
  ['getTransaction', { slot: 5, transaction: '3Bxs', meta: META, blockTime: 1 }],
  ['getTransaction', { slot: 5, transaction: ['AQ==', 'base64'], meta: META, blockTime: 1 }],
  ['simulateTransaction', { context, value: SIMULATED }],
  ['getInflationReward', [null, { epoch: 1, effectiveSlot: 1, amount: 1, postBalance: 1, commission: null }]],
  [
    'getSignaturesForAddress',
    [
      {
        signature: SIGNATURE,
        slot: 1,
        err: null,
        memo: '[5] hello',
        blockTime: null,
        confirmationStatus: null,
      },
    ],
  ],
  ['getLeaderSchedule', { [KEY]: [1, 2] }],
  ['getHighestSnapshotSlot', { full: 5, incremental: null }],
  ['getBlockCommitment', { commitment: null, totalStake: 42 }],
  [
    'getVoteAccounts',
    {
      current: [
        {
          votePubkey: KEY,
          nodePubkey: KEY,
          activatedStake: 5,
          commission: 5,
          epochVoteAccount: true,
          epochCredits: [[1, 5, 4]],
          lastVote: 5,
          rootSlot: 1,
        },
      ],
      delinquent: [],
    },
  ],
];

test.each(RESULTS)('nothing is found in what nodes answer: %s', (method, result) => {
  expect(check.reply(method, { jsonrpc: '2.0', result, id: 1 })).toEqual([]);
});

test('nothing is found in the errors of nodes, whatever their data', () => {
  const errors: readonly (readonly [method: string, code: number, data?: unknown])[] = [
    ['sendTransaction', -32002, SIMULATED],
    ['sendTransaction', -32003],
    ['sendTransaction', -32013],
    ['getHealth', -32005, { numSlotsBehind: null }],
    ['getInflationReward', -32017, { currentBlockHeight: 1, rewardsCompleteBlockHeight: 2, slot: 3 }],
    ['getBlockHeight', -32602, '"Got: 3"'],
    ['getSlot', -32016, { contextSlot: 5 }],
    ['getBlockProduction', -32021],
  ];
  for (const [method, code, data] of errors) {
    const error = { code, message: 'no', ...(data !== undefined && { data }) };
    expect(check.reply(method, { jsonrpc: '2.0', error, id: 1 })).toEqual([]);
  }
});

test('nothing is found in the reply without jsonrpc to a call without it, and in the end of a subscription', () => {
  const error = { code: -32600, message: 'Unsupported JSON-RPC protocol version' };
  expect(check.reply('getSlot', { error, id: 1 })).toEqual([]);
  expect(check.reply('slotUnsubscribe', { jsonrpc: '2.0', result: true, id: 1 })).toEqual([]);
  expect(check.reply('slotSubscribe', { jsonrpc: '2.0', result: 23784, id: 1 })).toEqual([]);
});

const NOTIFICATIONS: readonly (readonly [name: string, result: unknown])[] = [
  ['signatureNotification', { context: { slot: 5 }, value: 'receivedSignature' }],
  [
    'signatureNotification',
    { context: { slot: 5 }, value: { err: { InstructionError: [0, { Custom: 1 }] } } },
  ],
  ['blockNotification', { context: { slot: 5 }, value: { slot: 5, block: null, err: 'BlockStoreError' } }],
  [
    'blockNotification',
    { context: { slot: 5 }, value: { slot: 5, block: null, err: { UnsupportedTransactionVersion: 0 } } },
  ],
  ['voteNotification', { votePubkey: KEY, slots: [1], hash: HASH, timestamp: null, signature: SIGNATURE }],
  ['rootNotification', 5],
];

test.each(NOTIFICATIONS)('nothing is found in what nodes tell: %s', (method, result) => {
  expect(check.notification({ jsonrpc: '2.0', method, params: { result, subscription: 5 } })).toEqual([]);
});
