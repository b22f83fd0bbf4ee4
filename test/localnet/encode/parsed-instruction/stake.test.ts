import {
  Authorized,
  Lockup,
  type PublicKey,
  STAKE_CONFIG_ID,
  StakeAuthorizationLayout,
  StakeProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  SYSVAR_STAKE_HISTORY_PUBKEY,
  type Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const CLOCK = SYSVAR_CLOCK_PUBKEY.toBase58();
const HISTORY = SYSVAR_STAKE_HISTORY_PUBKEY.toBase58();
const [stake, authority, other, custodian] = [key(1), key(2), key(3), key(4)];
const S = { stakeAccount: address(1) };
const last = (transaction: Transaction | TransactionInstruction) => {
  const built = 'instructions' in transaction ? transaction.instructions.at(-1) : transaction;
  if (built === undefined) throw new Error('no instruction');
  return built;
};

/** Whatever web3.js builds, with the accounts that the program no longer reads. */
const CASES: readonly (readonly [string, TransactionInstruction, object])[] = [
  [
    'initialize',
    StakeProgram.initialize({
      stakePubkey: stake,
      authorized: new Authorized(authority, other),
      lockup: new Lockup(1_234_567_890, 11, custodian),
    }),
    {
      ...S,
      rentSysvar: SYSVAR_RENT_PUBKEY.toBase58(),
      authorized: { staker: address(2), withdrawer: address(3) },
      lockup: { unixTimestamp: 1_234_567_890n, epoch: 11n, custodian: address(4) },
    },
  ],
  [
    'authorize',
    last(
      StakeProgram.authorize({
        stakePubkey: stake,
        authorizedPubkey: authority,
        newAuthorizedPubkey: other,
        stakeAuthorizationType: StakeAuthorizationLayout.Withdrawer,
        custodianPubkey: custodian,
      }),
    ),
    {
      ...S,
      clockSysvar: CLOCK,
      authority: address(2),
      custodian: address(4),
      newAuthority: address(3),
      authorityType: 'Withdrawer',
    },
  ],
  [
    'authorizeWithSeed',
    last(
      StakeProgram.authorizeWithSeed({
        stakePubkey: stake,
        authorityBase: authority,
        authoritySeed: 'seed',
        authorityOwner: custodian,
        newAuthorizedPubkey: other,
        stakeAuthorizationType: StakeAuthorizationLayout.Staker,
      }),
    ),
    {
      ...S,
      authorityBase: address(2),
      clockSysvar: CLOCK,
      newAuthorized: address(3),
      authorityType: 'Staker',
      authoritySeed: 'seed',
      authorityOwner: address(4),
    },
  ],
  [
    'delegate',
    last(StakeProgram.delegate({ stakePubkey: stake, authorizedPubkey: authority, votePubkey: other })),
    {
      ...S,
      voteAccount: address(3),
      clockSysvar: CLOCK,
      stakeHistorySysvar: HISTORY,
      stakeConfigAccount: STAKE_CONFIG_ID.toBase58(),
      stakeAuthority: address(2),
    },
  ],
  [
    'split',
    last(
      StakeProgram.split(
        { stakePubkey: stake, authorizedPubkey: authority, splitStakePubkey: other, lamports: 7 },
        0,
      ),
    ),
    { ...S, newSplitAccount: address(3), stakeAuthority: address(2), lamports: 7n },
  ],
  [
    'merge',
    last(StakeProgram.merge({ stakePubkey: stake, sourceStakePubKey: other, authorizedPubkey: authority })),
    {
      destination: address(1),
      source: address(3),
      clockSysvar: CLOCK,
      stakeHistorySysvar: HISTORY,
      stakeAuthority: address(2),
    },
  ],
  [
    'withdraw',
    last(
      StakeProgram.withdraw({
        stakePubkey: stake,
        authorizedPubkey: authority,
        toPubkey: other,
        lamports: 9,
      }),
    ),
    {
      ...S,
      destination: address(3),
      clockSysvar: CLOCK,
      stakeHistorySysvar: HISTORY,
      withdrawAuthority: address(2),
      lamports: 9n,
    },
  ],
  [
    'deactivate',
    last(StakeProgram.deactivate({ stakePubkey: stake, authorizedPubkey: authority })),
    { ...S, clockSysvar: CLOCK, stakeAuthority: address(2) },
  ],
];

test.each(CASES)('parses %s', (type, built, info) => {
  const expected = { program: 'stake', programId: StakeProgram.programId.toBase58(), stackHeight: 1 };
  expect(parseBuilt(built)).toEqual({ ...expected, parsed: { type, info } });
  expect(parseBuilt(without(built, built.keys.length))).toBeUndefined();
});

describe('without the accounts that the program no longer reads', () => {
  const OLD = [SYSVAR_CLOCK_PUBKEY, SYSVAR_STAKE_HISTORY_PUBKEY, STAKE_CONFIG_ID, SYSVAR_RENT_PUBKEY];
  const lean = (built: TransactionInstruction) => {
    const keys = built.keys.filter(({ pubkey }) => !OLD.some((old) => old.equals(pubkey)));
    return new TransactionInstruction({ ...built, keys });
  };
  const dropped = ['clockSysvar', 'stakeHistorySysvar', 'stakeConfigAccount', 'rentSysvar'];

  test.each(CASES)('parses %s', (type, built, info) => {
    const left = Object.fromEntries(Object.entries(info).filter(([name]) => !dropped.includes(name)));
    expect(parseBuilt(lean(built))?.parsed).toEqual({ type, info: left });
  });

  test.each(['delegate', 'merge', 'withdraw', 'deactivate'])(
    'does not parse %s without its authority',
    (type) => {
      const built = CASES.find(([name]) => name === type)?.[1];
      expect(built && parseBuilt(without(lean(built), 1))).toBeUndefined();
    },
  );
});

describe('instructions that web3.js does not build', () => {
  test('checked ones take the new authority from the accounts', () => {
    expect(parseBuilt(raw(9, [], [stake, authority, other]))?.parsed).toEqual({
      type: 'initializeChecked',
      info: { ...S, staker: address(2), withdrawer: address(3) },
    });
    expect(parseBuilt(raw(10, [1, 0, 0, 0], [stake, SYSVAR_CLOCK_PUBKEY, authority, other]))?.parsed).toEqual(
      {
        type: 'authorizeChecked',
        info: {
          ...S,
          clockSysvar: CLOCK,
          authority: address(2),
          newAuthority: address(3),
          authorityType: 'Withdrawer',
        },
      },
    );
    expect(parseBuilt(raw(10, [1, 0, 0, 0], [stake, SYSVAR_CLOCK_PUBKEY, authority]))).toBeUndefined();
    expect(parseBuilt(raw(10, [2, 0, 0, 0], [stake, authority, other]))).toBeUndefined();
  });

  test('a lockup shows what is set of it', () => {
    const time = [1, 5, 0, 0, 0, 0, 0, 0, 0];
    expect(parseBuilt(raw(6, [...time, 0, 1, ...custodian.toBytes()], [stake, authority]))?.parsed).toEqual({
      type: 'setLockup',
      info: { ...S, custodian: address(2), lockup: { unixTimestamp: 5n, custodian: address(4) } },
    });
    expect(parseBuilt(raw(12, [0, ...time], [stake, authority, custodian]))?.parsed).toEqual({
      type: 'setLockupChecked',
      info: { ...S, custodian: address(2), lockup: { epoch: 5n, custodian: address(4) } },
    });
    expect(parseBuilt(raw(12, [0, 0], [stake, authority]))?.parsed).toEqual({
      type: 'setLockupChecked',
      info: { ...S, custodian: address(2), lockup: {} },
    });
  });

  test.each([
    [16, 'moveStake'],
    [17, 'moveLamports'],
  ])('type %i is %s', (number, type) => {
    const built = raw(number, [3, 0, 0, 0, 0, 0, 0, 0], [stake, other, authority]);
    const info = { source: address(1), destination: address(3), stakeAuthority: address(2), lamports: 3n };
    expect(parseBuilt(built)?.parsed).toEqual({ type, info });
    expect(parseBuilt(without(built, 1))).toBeUndefined();
  });

  test.each([13, 15, 18])('type %i is not parsed', (number) => {
    expect(parseBuilt(raw(number, [], [stake, authority, other, custodian, key(5)]))).toBeUndefined();
  });
});

function raw(type: number, args: readonly number[], accounts: readonly PublicKey[]) {
  return new TransactionInstruction({
    programId: StakeProgram.programId,
    keys: accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.from([type, 0, 0, 0, ...args]),
  });
}
