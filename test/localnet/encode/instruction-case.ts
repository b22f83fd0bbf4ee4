import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { parseInstruction } from '../../../src/localnet/encode/parsed-instruction/parse-instruction.ts';
import { encodePreflight } from '../../../src/localnet/encode/simulation-result.ts';
import { assertValue } from './result-schema.ts';

const REFUSED = {
  err: 'AccountNotFound',
  logs: [],
  unitsConsumed: 0n,
  loadedAccountsDataSize: 0,
  returnData: null,
  fee: null,
  balances: null,
  loadedAddresses: { writable: [], readonly: [] },
} as const;

/** A distinct address for each number; its text is what parsed forms show. */
export function key(seed: number): PublicKey {
  return new PublicKey(Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 200 : seed)));
}

/** The text of `key(seed)`. */
export function address(seed: number): string {
  return key(seed).toBase58();
}

/**
 * Parses an instruction that a client library built, against a key list in reverse order of its accounts, and holds
 * what comes out against the specification of simulateTransaction.
 */
export function parseBuilt(built: TransactionInstruction) {
  const accounts = built.keys.map(({ pubkey }) => pubkey.toBase58());
  const keys = [...new Set([...accounts, built.programId.toBase58()])].reverse();
  const instruction = {
    programIdIndex: keys.indexOf(built.programId.toBase58()),
    accounts: accounts.map((account) => keys.indexOf(account)),
    data: Uint8Array.from(built.data),
  };
  const parsed = parseInstruction(built.programId.toBase58(), instruction, keys, 1);
  if (parsed !== undefined) {
    const calls = [{ index: 0, instructions: [parsed] }];
    assertValue('simulateTransaction', { ...encodePreflight(REFUSED), innerInstructions: calls });
  }
  return parsed;
}

/** The same instruction with its last accounts taken away. */
export function without(built: TransactionInstruction, count: number): TransactionInstruction {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(built)), built);
  copy.keys = built.keys.slice(0, built.keys.length - count);
  return copy;
}
