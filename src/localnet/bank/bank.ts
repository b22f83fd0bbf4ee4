import type { AccountStore } from '../accounts/account-store.ts';
import {
  SYSVAR_CLOCK,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_SLOT_HASHES,
} from '../addresses/sysvar-addresses.ts';
import type { Account } from '../model.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';
import type { Outcome, Runtime, SimulatedOutcome } from './runtime.ts';

/** The sysvars that programs read without naming an account. */
const AMBIENT_SYSVARS: readonly string[] = [SYSVAR_CLOCK, SYSVAR_SLOT_HASHES, SYSVAR_RECENT_BLOCKHASHES];

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
    for (const address of addresses) this.#accounts.write(address, this.#runtime.read(address), slot);
  }

  /** Sets an account in the runtime and in the store. */
  write(address: string, account: Account | undefined, slot: bigint): void {
    this.#runtime.write(address, account);
    this.#accounts.write(address, account, slot);
  }

  /**
   * Simulates on the state at the end of `slot`, or on the current one. Accounts that changed since are restored during the simulation;
   * `addresses` are all that the transaction can reach.
   */
  simulate(wire: Uint8Array, addresses: readonly string[], slot: bigint, openSlot: bigint): SimulatedOutcome {
    const rewound = slot === openSlot ? [] : this.#changedAddresses(addresses, slot);
    this.#syncSysvars(slot, addresses);
    for (const address of rewound) this.#runtime.write(address, this.#accounts.read(address, slot));
    try {
      return this.#runtime.simulate(wire);
    } finally {
      for (const address of rewound) this.#runtime.write(address, this.#accounts.read(address, openSlot));
    }
  }

  /** Code comes before its program, which the runtime loads when it is written. */
  #changedAddresses(addresses: readonly string[], slot: bigint): readonly string[] {
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
