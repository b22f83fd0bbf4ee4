import { base58 } from '@scure/base';
import { serviceError } from '../../base/service-error.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { errorText } from '../transaction/error-text.ts';
import { readOpen } from './write-accounts.ts';

type Holding = { readonly owner: string; readonly mint: string; readonly program: string };

const CREATE_TAG = 0;
const SIGNATURE_BYTES = 64;

/** Returns the address of the token account that belongs to an owner and a mint. */
export async function associatedTokenAddress({ owner, mint, program }: Holding): Promise<string> {
  const { address, getProgramDerivedAddress } = await import('@solana/kit');
  const seeds = [owner, program, mint].map((each) => base58.decode(each));
  const [derived] = await getProgramDerivedAddress({
    programAddress: address(ASSOCIATED_TOKEN_PROGRAM),
    seeds,
  });
  return derived;
}

/**
 * Returns a new associated token account as the program makes it, with the extensions that its mint asks for. It runs outside of any block,
 * and nothing of it is kept.
 *
 * @throws ServiceError invalidParam with the error of the program.
 */
export function openTokenAccount(
  ledger: Ledger,
  { address, ...holding }: Holding & { readonly address: string },
): Account {
  const { bank, runtime, blocks, genesis } = ledger;
  const payer = genesis.faucet.address;
  const keys = uniqueKeys(payer, address, holding);
  if (runtime.isGone(ASSOCIATED_TOKEN_PROGRAM))
    throw serviceError('invalidParam', {
      reason: `the program for associated token accounts, ${ASSOCIATED_TOKEN_PROGRAM}, is not there`,
    });
  const outcome = bank.execute(
    createWire(keys, payer, address, holding, blocks.blockhashBytes(blocks.openSlot - 1n)),
    keys,
    blocks.openSlot,
  );
  const account = runtime.read(address);
  for (const each of [payer, address]) runtime.write(each, readOpen(ledger, each));
  if (outcome.err !== null || account === undefined) {
    const reason = `the program for associated token accounts refuses ${address}: ${errorText(outcome.err ?? 'AccountNotFound')}`;
    throw serviceError('invalidParam', { reason });
  }
  return account;
}

/** Two that may be written, payer first; an owner who pays is there once. */
function uniqueKeys(payer: string, address: string, { owner, mint, program }: Holding): readonly string[] {
  return [...new Set([payer, address, owner, mint, SYSTEM_PROGRAM, program, ASSOCIATED_TOKEN_PROGRAM])];
}

function createWire(
  keys: readonly string[],
  payer: string,
  address: string,
  { owner, mint, program }: Holding,
  blockhash: Uint8Array,
): Uint8Array {
  const used = [payer, address, owner, mint, SYSTEM_PROGRAM, program].map((key) => keys.indexOf(key));
  const signature = new Uint8Array(SIGNATURE_BYTES).fill(1);
  return Buffer.concat([
    Uint8Array.of(1),
    signature,
    Uint8Array.of(1, 0, keys.length - 2, keys.length),
    ...keys.map((key) => base58.decode(key)),
    blockhash,
    Uint8Array.of(1, keys.indexOf(ASSOCIATED_TOKEN_PROGRAM), used.length, ...used, 1, CREATE_TAG),
  ]);
}
