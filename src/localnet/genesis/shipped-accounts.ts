import type { Runtime } from '../bank/runtime.ts';
import {
  BPF_LOADER,
  CONFIG_PROGRAM,
  FEATURE_PROGRAM,
  LOADER_DEPRECATED,
  NATIVE_LOADER,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  UPGRADEABLE_LOADER,
} from '../addresses/program-ids.ts';
import {
  SYSVAR_EPOCH_SCHEDULE,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_STAKE_HISTORY,
} from '../addresses/sysvar-addresses.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { Account, KeyedAccount } from '../model.ts';
import { type StakeHistory, stakeHistoryData } from '../validator/stake-history.ts';
import { epochScheduleData } from '../sysvars/sysvars.ts';

/** Owners of the accounts that the runtime includes: programs, their code, sysvars, features. */
const RUNTIME_OWNERS = [
  NATIVE_LOADER,
  UPGRADEABLE_LOADER,
  BPF_LOADER,
  LOADER_DEPRECATED,
  SYSVAR_OWNER,
  FEATURE_PROGRAM,
  CONFIG_PROGRAM,
];

/** Sizes of the sysvars that a validator allocates for their largest content. */
const SYSVAR_BYTES: ReadonlyMap<string, number> = new Map([[SYSVAR_RECENT_BLOCKHASHES, 8 + 150 * 40]]);

const STAKE_CONFIG = 'StakeConfig11111111111111111111111111111111';
/** No keys; warmup and cooldown rate 0.25 as a double; slash penalty 12 of 256. */
const STAKE_CONFIG_DATA = Buffer.from('00000000000000d03f0c', 'hex');
/** Active since slot 0. */
const ACTIVE_FEATURE_DATA = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0);

/** The state that some of the accounts are derived from. */
export type ShippedState = { readonly epochs: EpochSchedule; readonly history: StakeHistory };

/**
 * Returns the accounts of the runtime as a validator has them at genesis, and writes them to it. The runtime's own faucet is removed. All are
 * rent-exempt but the built-in programs, which have one lamport.
 */
export function shippedAccounts(runtime: Runtime, state: ShippedState): readonly KeyedAccount[] {
  for (const { address } of runtime.ownedBy(SYSTEM_PROGRAM)) runtime.write(address, undefined);
  return RUNTIME_OWNERS.flatMap((owner) => runtime.ownedBy(owner)).map(({ address, account }) => {
    const exact = { ...account, data: dataOf(address, account, state) };
    const lamports = exact.owner === NATIVE_LOADER ? exact.lamports : exemptLamports(runtime, exact);
    if (lamports === account.lamports && exact.data === account.data) return { address, account };
    const kept = { ...exact, lamports };
    runtime.write(address, kept);
    return { address, account: kept };
  });
}

/** The lamports of an account, raised to the rent exemption. */
function exemptLamports(runtime: Runtime, { lamports, data, owner }: Account): bigint {
  const minimum = runtime.rentExemption(BigInt(data.length));
  return owner === SYSVAR_OWNER || lamports < minimum ? minimum : lamports;
}

function dataOf(address: string, { owner, data }: Account, { epochs, history }: ShippedState): Uint8Array {
  if (address === SYSVAR_EPOCH_SCHEDULE) return epochScheduleData(epochs);
  if (address === SYSVAR_STAKE_HISTORY) return stakeHistoryData(history);
  if (address === STAKE_CONFIG) return STAKE_CONFIG_DATA;
  if (owner === FEATURE_PROGRAM) return ACTIVE_FEATURE_DATA;
  const size = SYSVAR_BYTES.get(address) ?? data.length;
  if (size === data.length) return data;
  const padded = new Uint8Array(size);
  padded.set(data.subarray(0, size));
  return padded;
}
