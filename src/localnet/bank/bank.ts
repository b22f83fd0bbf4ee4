import type { AccountStore } from '../accounts/account-store.ts';
import {
  SYSVAR_CLOCK,
  SYSVAR_EPOCH_REWARDS,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_SLOT_HASHES,
  SYSVAR_STAKE_HISTORY,
} from '../addresses/sysvar-addresses.ts';
import type { Account } from '../model.ts';
import { UPGRADEABLE_LOADER } from '../addresses/program-ids.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';
import { NOT_LOADED, type Outcome, type Runtime, type SimulatedOutcome } from './runtime.ts';

/** A transaction to simulate: `addresses` are all that it can reach, `programs` those that it calls. */
export type Simulated = {
  readonly wire: Uint8Array;
  readonly addresses: readonly string[];
  readonly programs: readonly string[];
};

/** The sysvars that programs read without naming an account. */
const AMBIENT_SYSVARS: readonly string[] = [SYSVAR_CLOCK, SYSVAR_SLOT_HASHES, SYSVAR_RECENT_BLOCKHASHES];

/** The ones that are stored, since they change with the epoch. */
const AMBIENT_ACCOUNTS: readonly string[] = [SYSVAR_EPOCH_REWARDS, SYSVAR_STAKE_HISTORY];

/** Executes transactions on the state of a slot and keeps the account store in step with the runtime. */
export class Bank {
  readonly #runtime: Runtime;
  readonly #accounts: AccountStore;
  #sysvarSlot: bigint | undefined;

  constructor(runtime: Runtime, accounts: AccountStore) {
    this.#runtime = runtime;
    this.#accounts = accounts;
  }

  /** Executes in the open slot. Call `keep` afterwards for the accounts that may have changed. */
  execute(wire: Uint8Array, addresses: readonly string[], slot: bigint): Outcome {
    this.#syncSysvars(slot, addresses);
    return this.#runtime.execute(wire);
  }

  /** Copies accounts from the runtime into the store, as the state of the open slot. */
  keep(addresses: Iterable<string>, slot: bigint): void {
    for (const address of addresses) {
      const account = this.#runtime.read(address);
      const code = programDataAddress(account);
      // The runtime loads a program before it removes closed code if the program comes first.
      if (code !== undefined && this.#runtime.read(code) === undefined) this.#runtime.write(address, account);
      this.#accounts.write(address, account, slot);
    }
  }

  /** Gives the runtime the store's accounts, after the store went to another state. */
  follow(addresses: Iterable<string>, slot: bigint): void {
    const changed = new Set([...addresses].filter((address) => !this.#accounts.isDerived(address)));
    const programs = this.#accounts
      .ownedBy(UPGRADEABLE_LOADER, slot)
      .filter(
        ({ address, account }) => changed.has(address) || changed.has(programDataAddress(account) ?? ''),
      )
      .filter(({ account }) => account.executable);
    // The runtime loads a program when it is written, so its code has to be there.
    const last = new Set(programs.map(({ address }) => address));
    for (const address of [...changed].filter((each) => !last.has(each)).concat([...last]))
      this.place(address, slot);
    this.#sysvarSlot = undefined;
  }

  /** Gives the runtime an account as it is in the store. */
  place(address: string, slot: bigint): void {
    this.#runtime.place(address, this.#accounts.read(address, slot));
  }

  /** Adopts an account of a fork's source (undefined: the source has none) as if it had always been there; a known one stays. */
  adopt(address: string, account: Account | undefined): void {
    if (this.#accounts.adopt(address, account) && account !== undefined)
      this.#runtime.place(address, account);
  }

  /** Sets an account in the runtime and in the store. */
  write(address: string, account: Account | undefined, slot: bigint): void {
    this.#runtime.write(address, account);
    this.#accounts.write(address, account, slot);
  }

  /**
   * Simulates on the state at the end of `slot`, or on the current one. Accounts that changed since are restored during the simulation.
   */
  simulate({ wire, addresses, programs }: Simulated, slot: bigint, openSlot: bigint): SimulatedOutcome {
    const rewound = slot === openSlot ? [] : this.#changedAddresses(addresses, slot);
    this.#syncSysvars(slot, addresses);
    try {
      for (const address of rewound) this.place(address, slot);
      return programs.some((each) => this.#runtime.isGone(each)) ? NOT_LOADED : this.#runtime.simulate(wire);
    } finally {
      for (const address of rewound) this.place(address, openSlot);
    }
  }

  /** Code comes before its program, which the runtime loads when it is written. */
  #changedAddresses(named: readonly string[], slot: bigint): readonly string[] {
    const addresses = [...named, ...AMBIENT_ACCOUNTS];
    const code = addresses.flatMap((address) => programDataAddress(this.#accounts.read(address, slot)) ?? []);
    const changed = new Set(code.filter((address) => this.#accounts.changedSince(address, slot)));
    for (const address of addresses) {
      const data = programDataAddress(this.#accounts.read(address, slot));
      if (this.#accounts.changedSince(address, slot) || (data !== undefined && changed.has(data)))
        changed.add(address);
    }
    return [...changed].filter((address) => !this.#accounts.isDerived(address));
  }

  #syncSysvars(slot: bigint, addresses: readonly string[]): void {
    const named = addresses.filter(
      (address) => this.#accounts.isDerived(address) && !AMBIENT_SYSVARS.includes(address),
    );
    const ambient = this.#sysvarSlot === slot ? [] : AMBIENT_SYSVARS;
    for (const address of [...ambient, ...named])
      this.#runtime.write(address, this.#accounts.read(address, slot));
    this.#sysvarSlot = slot;
  }
}
