import type { Runtime } from '../bank/runtime.ts';
import {
  BPF_LOADER,
  CONFIG_PROGRAM,
  FEATURE_PROGRAM,
  LOADER_DEPRECATED,
  MEMO_V3_PROGRAM,
  MEMO_V4_PROGRAM,
  NATIVE_LOADER,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
  VOTE_PROGRAM,
} from '../addresses/program-ids.ts';
import { SYSVAR_EPOCH_SCHEDULE } from '../addresses/sysvar-addresses.ts';
import type { Account, KeyedAccount } from '../model.ts';
import { epochScheduleData } from '../sysvars/epoch-schedule.ts';
import { VOTE_ACCOUNT_BYTES } from '../validator/vote-state.ts';
import type { Genesis } from './genesis.ts';
import { STAKE_ACCOUNT_BYTES, stakeAccountData } from './stake-account.ts';

const RENT_EPOCH = 2n ** 64n - 1n;
const NO_DATA = new Uint8Array(0);
/** Owners of the accounts that the runtime includes: programs, their code, sysvars, features, native mints. */
const RUNTIME_OWNERS = [
  NATIVE_LOADER,
  UPGRADEABLE_LOADER,
  BPF_LOADER,
  LOADER_DEPRECATED,
  SYSVAR_OWNER,
  FEATURE_PROGRAM,
  CONFIG_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
];

/** Returns the accounts of slot 0: those of the runtime, and the ledger's own. The runtime's own faucet is removed. */
export function genesisAccounts(runtime: Runtime, genesis: Genesis): readonly KeyedAccount[] {
  for (const { address } of runtime.ownedBy(SYSTEM_PROGRAM)) runtime.write(address, undefined);
  const shipped = RUNTIME_OWNERS.flatMap((owner) => runtime.ownedBy(owner)).map((entry) =>
    withRent(runtime, entry),
  );
  const own = [...ownAccounts(runtime, genesis), ...memoV4(runtime)];
  for (const { address, account } of own) runtime.write(address, account);
  return [...shipped, ...own];
}

function ownAccounts(runtime: Runtime, genesis: Genesis): readonly KeyedAccount[] {
  const wallet = (address: string, lamports: bigint): KeyedAccount => ({
    address,
    account: account(lamports, SYSTEM_PROGRAM, NO_DATA),
  });
  const voteRent = runtime.rentExemption(BigInt(VOTE_ACCOUNT_BYTES));
  const stakeRent = runtime.rentExemption(BigInt(STAKE_ACCOUNT_BYTES));
  const stake = stakeAccountData(genesis, stakeRent);
  return [
    wallet(genesis.faucet.address, genesis.faucetLamports),
    wallet(genesis.identity.address, genesis.identityLamports),
    ...genesis.funded.map(({ keypair, lamports }) => wallet(keypair.address, lamports)),
    {
      address: genesis.voteAddress,
      account: account(voteRent, VOTE_PROGRAM, new Uint8Array(VOTE_ACCOUNT_BYTES)),
    },
    {
      address: genesis.stakeAddress,
      account: account(stakeRent + genesis.stakeLamports, STAKE_PROGRAM, stake),
    },
  ];
}

/** The runtime has the memo program at its v3 address; clients call it at the v4 one, which has the same code. */
function memoV4(runtime: Runtime): readonly KeyedAccount[] {
  const program = runtime.read(MEMO_V3_PROGRAM);
  return program === undefined ? [] : [{ address: MEMO_V4_PROGRAM, account: program }];
}

/** The runtime gives sysvars one lamport; on a validator they are rent-exempt like any account. */
function withRent(runtime: Runtime, { address, account: shipped }: KeyedAccount): KeyedAccount {
  if (shipped.owner !== SYSVAR_OWNER) return { address, account: shipped };
  const data = address === SYSVAR_EPOCH_SCHEDULE ? epochScheduleData() : shipped.data;
  const sysvar = account(runtime.rentExemption(BigInt(data.length)), SYSVAR_OWNER, data);
  runtime.write(address, sysvar);
  return { address, account: sysvar };
}

function account(lamports: bigint, owner: string, data: Uint8Array): Account {
  return { lamports, owner, data, executable: false, rentEpoch: RENT_EPOCH };
}
