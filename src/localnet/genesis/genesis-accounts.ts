import { base58 } from '@scure/base';
import { supplyProblem } from '../accounts/supply-problem.ts';
import { rentExempt } from '../bank/rent-exempt.ts';
import type { Runtime } from '../bank/runtime.ts';
import {
  MEMO_V3_PROGRAM,
  MEMO_V4_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  VOTE_PROGRAM,
} from '../addresses/program-ids.ts';
import { serviceError } from '../../core/service-error.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Consensus } from '../consensus.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { Fork } from '../fork/fork.ts';
import type { Account, KeyedAccount } from '../model.ts';
import { configProgram } from '../programs/config-program.ts';
import { initialStakeHistory } from '../validator/stake-history.ts';
import { VOTE_ACCOUNT_BYTES, voteAccountData, voteRecord } from '../validator/vote-state.ts';
import type { Genesis } from './genesis.ts';
import { type AddedAccount, type GenesisAdditions, MINT_LAMPORTS } from './genesis-additions.ts';
import { shippedAccounts } from './shipped-accounts.ts';

const RENT_EPOCH = 2n ** 64n - 1n;
const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
const NATIVE_MINT_BYTES = 82;
const NATIVE_MINT_LAMPORTS = 1_000_000_000n;
/** A mint without an authority or a supply. */
const NATIVE_MINT_HEAD = new Uint8Array(44);
const [NATIVE_DECIMALS, INITIALIZED] = [9, 1];
const NO_DATA = new Uint8Array(0);

type GenesisParts = {
  readonly genesis: Genesis;
  readonly consensus: Consensus;
  readonly epochs: EpochSchedule;
  readonly additions: GenesisAdditions;
  /** The slot in which the ledger starts. */
  readonly slot: bigint;
  /** Undefined: not a fork. */
  readonly fork: Fork | undefined;
};

/**
 * Writes the accounts of slot 0 to the runtime and returns them: those of the runtime, the ledger's own, and the added ones; the later of
 * two with one address wins.
 *
 * @throws ServiceError invalidConfig naming the added account that the runtime refuses, such as an invalid program, or whose lamports do
 *   not fit next to those of the others.
 */
export function genesisAccounts(
  runtime: Runtime,
  { genesis, consensus, epochs, additions, slot, fork }: GenesisParts,
): readonly KeyedAccount[] {
  const history = initialStakeHistory(epochs.epochOf(slot), genesis.stakeLamports);
  const shipped = shippedAccounts(runtime, { epochs, history });
  const own = [
    ...ownAccounts(runtime, { genesis, consensus, epochs, slot }),
    nativeMint(),
    ...memoV4(runtime),
    // A fork uses the one of its network.
    ...(fork === undefined ? configProgram(runtime) : []),
    ...mintAccount(additions),
  ];
  for (const { address, account } of own) runtime.write(address, account);
  const added = additions.accounts.map((entry) => withRent(runtime, entry));
  assertSupply([...shipped, ...own], added);
  // The runtime loads a program when it is written, so its code has to be there.
  const programsLast = added.toSorted((a, b) => Number(a.account.executable) - Number(b.account.executable));
  for (const entry of programsLast) writeAdded(runtime, entry);
  return [...shipped, ...own, ...added];
}

function assertSupply(present: readonly KeyedAccount[], added: readonly AddedAccount[]): void {
  const lamports = new Map(present.map(({ address, account }) => [address, account.lamports]));
  for (const { address } of added) lamports.delete(address);
  let others = [...lamports.values()].reduce((sum, each) => sum + each, 0n);
  for (const { address, account, origin } of added) {
    const problem = supplyProblem(address, { lamports: account.lamports, others });
    if (problem !== undefined)
      throw serviceError('invalidConfig', { problems: `localnet: ${origin}: ${problem}` });
    others += account.lamports;
  }
}

function writeAdded(runtime: Runtime, { address, account, origin }: AddedAccount): void {
  try {
    runtime.write(address, account);
  } catch (error) {
    const problems = `localnet: ${origin}: the runtime refuses the account ${address}${
      account.executable ? ': its program cannot be loaded' : ''
    }`;
    throw serviceError('invalidConfig', { problems }, error);
  }
}

function withRent(runtime: Runtime, entry: AddedAccount): AddedAccount {
  return entry.isMadeExempt === true ? { ...entry, ...rentExempt(runtime, entry) } : entry;
}

function mintAccount({ mint }: GenesisAdditions): readonly KeyedAccount[] {
  return mint === undefined
    ? []
    : [{ address: mint, account: account(MINT_LAMPORTS, SYSTEM_PROGRAM, NO_DATA) }];
}

function ownAccounts(
  runtime: Runtime,
  { genesis, consensus, epochs, slot }: Pick<GenesisParts, 'genesis' | 'consensus' | 'epochs' | 'slot'>,
): readonly KeyedAccount[] {
  const wallet = (address: string, lamports: bigint): KeyedAccount => ({
    address,
    account: account(lamports, SYSTEM_PROGRAM, NO_DATA),
  });
  const voteRent = runtime.rentExemption(BigInt(VOTE_ACCOUNT_BYTES));
  const stakeRent = runtime.rentExemption(BigInt(STAKE_ACCOUNT_BYTES));
  const [, credits = 0n] = voteRecord(slot, epochs, consensus).epochCredits.at(-1) ?? [];
  const stake = stakeAccountData(genesis, stakeRent, credits);
  return [
    wallet(genesis.faucet.address, genesis.faucetLamports),
    wallet(genesis.identity.address, genesis.identityLamports),
    {
      address: genesis.voteAddress,
      account: account(
        voteRent,
        VOTE_PROGRAM,
        voteAccountData({ genesis, consensus, slot, lastTime: genesis.time, epochs }),
      ),
    },
    {
      address: genesis.stakeAddress,
      account: account(stakeRent + genesis.stakeLamports, STAKE_PROGRAM, stake),
    },
  ];
}

/** The mint of wrapped SOL as a validator begins with it (agave, `genesis_utils`). Token-2022 has none until one is created. */
function nativeMint(): KeyedAccount {
  const data = new ByteWriter(NATIVE_MINT_BYTES)
    .put(NATIVE_MINT_HEAD)
    .u8(NATIVE_DECIMALS)
    .u8(INITIALIZED).bytes;
  return {
    address: NATIVE_MINT,
    account: { ...account(NATIVE_MINT_LAMPORTS, TOKEN_PROGRAM, data), rentEpoch: 1n },
  };
}

/** The runtime has the memo program at its v3 address; clients call it at the v4 one, which has the same code. */
function memoV4(runtime: Runtime): readonly KeyedAccount[] {
  const program = runtime.read(MEMO_V3_PROGRAM);
  return program === undefined ? [] : [{ address: MEMO_V4_PROGRAM, account: program }];
}

function account(lamports: bigint, owner: string, data: Uint8Array): Account {
  return { lamports, owner, data, executable: false, rentEpoch: RENT_EPOCH };
}

const STAKE_ACCOUNT_BYTES = 200;
const DELEGATED = 2;
const NEVER = 2n ** 64n - 1n;
const WARMUP_RATE = 0.25;
const NO_LOCKUP = new Uint8Array(8 + 8 + 32);

/**
 * Returns the data of the genesis stake: delegated to the ledger's vote account since before epoch 0, without a lockup. It is paid for
 * votes after the given number of credits.
 */
function stakeAccountData(genesis: Genesis, rentReserve: bigint, creditsObserved: bigint): Uint8Array {
  const identity = base58.decode(genesis.identity.address);
  return new ByteWriter(STAKE_ACCOUNT_BYTES)
    .u32(DELEGATED)
    .u64(rentReserve)
    .put(identity)
    .put(identity)
    .put(NO_LOCKUP)
    .put(base58.decode(genesis.voteAddress))
    .u64(genesis.stakeLamports)
    .u64(NEVER)
    .u64(NEVER)
    .f64(WARMUP_RATE)
    .u64(creditsObserved)
    .u8(0).bytes;
}
