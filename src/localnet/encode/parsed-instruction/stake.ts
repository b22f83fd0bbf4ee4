import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import { SYSVAR_CLOCK, SYSVAR_RENT, SYSVAR_STAKE_HISTORY } from '../../addresses/sysvar-addresses.ts';
import { ifAny, type Info, type ParsedBody } from './instruction-form.ts';

/** The form of a stake instruction; its accounts are named in order. */
type StakeForm = {
  readonly type: string;
  readonly accounts: readonly string[];
  /** Minimum number of accounts; the second number if those that the program no longer reads are missing. */
  readonly minimum: readonly [number, number];
  readonly info?: Info;
  /** Merges members, if an account is part of a value. */
  readonly finish?: (info: Info) => Info;
};

/** Accounts that the program no longer reads: each is named only if the expected account is in its place. */
const PASSED_ALONG: ReadonlyMap<string, string> = new Map([
  ['clockSysvar', SYSVAR_CLOCK],
  ['rentSysvar', SYSVAR_RENT],
  ['stakeConfigAccount', 'StakeConfig11111111111111111111111111111111'],
  ['stakeHistorySysvar', SYSVAR_STAKE_HISTORY],
]);

/** Parses an instruction of the stake program (bincode); undefined if its data matches no form or accounts are missing. */
export function parseStakeInstruction(data: Uint8Array, accounts: readonly string[]): ParsedBody | undefined {
  const form = decodeBytes(data, (reader) => reader.oneOf(reader.u32(), FORMS)(reader));
  if (form === undefined) return undefined;
  const named = nameAccounts(form.accounts, accounts);
  const [full, lean] = form.minimum;
  const isFull = Object.keys(named).some((name) => PASSED_ALONG.has(name));
  if (accounts.length < (isFull ? full : lean)) return undefined;
  const info = { ...form.info, ...named };
  return { type: form.type, info: form.finish?.(info) ?? info };
}

function nameAccounts(names: readonly string[], accounts: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  let next = 0;
  for (const name of names) {
    const account = accounts[next];
    if (account === undefined || (PASSED_ALONG.get(name) ?? account) !== account) continue;
    named[name] = account;
    next += 1;
  }
  return named;
}

const FORMS: readonly ((reader: ByteReader) => StakeForm)[] = [
  (reader) => ({
    type: 'initialize',
    accounts: ['stakeAccount', 'rentSysvar'],
    minimum: [1, 1],
    info: {
      authorized: { staker: reader.address(), withdrawer: reader.address() },
      lockup: { unixTimestamp: reader.i64(), epoch: reader.u64(), custodian: reader.address() },
    },
  }),
  (reader) => ({
    type: 'authorize',
    accounts: ['stakeAccount', 'clockSysvar', 'authority', 'custodian'],
    minimum: [3, 2],
    info: { newAuthority: reader.address(), authorityType: readAuthorityType(reader) },
  }),
  () => ({
    type: 'delegate',
    accounts: [
      'stakeAccount',
      'voteAccount',
      'clockSysvar',
      'stakeHistorySysvar',
      'stakeConfigAccount',
      'stakeAuthority',
    ],
    minimum: [5, 3],
  }),
  (reader) => ({
    type: 'split',
    accounts: ['stakeAccount', 'newSplitAccount', 'stakeAuthority'],
    minimum: [2, 2],
    info: { lamports: reader.u64() },
  }),
  (reader) => ({
    type: 'withdraw',
    accounts: [
      'stakeAccount',
      'destination',
      'clockSysvar',
      'stakeHistorySysvar',
      'withdrawAuthority',
      'custodian',
    ],
    minimum: [5, 3],
    info: { lamports: reader.u64() },
  }),
  () => ({
    type: 'deactivate',
    accounts: ['stakeAccount', 'clockSysvar', 'stakeAuthority'],
    minimum: [2, 2],
  }),
  (reader) => ({
    type: 'setLockup',
    accounts: ['stakeAccount', 'custodian'],
    minimum: [2, 2],
    info: {
      lockup: {
        ...readLockup(reader),
        ...ifAny(
          'custodian',
          reader.option(() => reader.address()),
        ),
      },
    },
  }),
  () => ({
    type: 'merge',
    accounts: ['destination', 'source', 'clockSysvar', 'stakeHistorySysvar', 'stakeAuthority'],
    minimum: [4, 3],
  }),
  (reader) => ({
    type: 'authorizeWithSeed',
    accounts: ['stakeAccount', 'authorityBase', 'clockSysvar', 'custodian'],
    minimum: [2, 2],
    info: { newAuthorized: reader.address(), ...readSeed(reader) },
  }),
  () => ({
    type: 'initializeChecked',
    accounts: ['stakeAccount', 'rentSysvar', 'staker', 'withdrawer'],
    minimum: [4, 3],
  }),
  (reader) => ({
    type: 'authorizeChecked',
    accounts: ['stakeAccount', 'clockSysvar', 'authority', 'newAuthority', 'custodian'],
    minimum: [4, 3],
    info: { authorityType: readAuthorityType(reader) },
  }),
  (reader) => ({
    type: 'authorizeCheckedWithSeed',
    accounts: ['stakeAccount', 'authorityBase', 'clockSysvar', 'newAuthorized', 'custodian'],
    minimum: [4, 3],
    info: readSeed(reader),
  }),
  (reader) => ({
    type: 'setLockupChecked',
    accounts: ['stakeAccount', 'custodian', 'newCustodian'],
    minimum: [2, 2],
    ...finishLockup(readLockup(reader)),
  }),
  (reader) => reader.reject(), // getMinimumDelegation, which has no named parts
  () => ({
    type: 'deactivateDelinquent',
    accounts: ['stakeAccount', 'voteAccount', 'referenceVoteAccount'],
    minimum: [3, 3],
  }),
  (reader) => reader.reject(), // redelegate, which the program refuses
  (reader) => moveForm('moveStake', reader),
  (reader) => moveForm('moveLamports', reader),
];

function moveForm(type: string, reader: ByteReader): StakeForm {
  const info = { lamports: reader.u64() };
  return { type, accounts: ['source', 'destination', 'stakeAuthority'], minimum: [3, 3], info };
}

function readAuthorityType(reader: ByteReader): string {
  return reader.oneOf(reader.u32(), ['Staker', 'Withdrawer']);
}

function readLockup(reader: ByteReader): Info {
  const unixTimestamp = reader.option(() => reader.i64());
  return {
    ...ifAny('unixTimestamp', unixTimestamp),
    ...ifAny(
      'epoch',
      reader.option(() => reader.u64()),
    ),
  };
}

/** The new custodian, an account here, is shown as part of the lockup. */
function finishLockup(lockup: Info) {
  const finish = ({ newCustodian = null, ...info }: Info): Info => ({
    ...info,
    lockup: { ...lockup, ...ifAny('custodian', newCustodian) },
  });
  return { finish };
}

function readSeed(reader: ByteReader): Info {
  return {
    authorityType: readAuthorityType(reader),
    authoritySeed: reader.longText(),
    authorityOwner: reader.address(),
  };
}
