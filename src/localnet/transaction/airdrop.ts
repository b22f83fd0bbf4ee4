import { base58 } from '@scure/base';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Keypair } from '../genesis/genesis.ts';
import type { Ledger } from '../ledger.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';

const TRANSFER_TAG = 2;
const SET_UNIT_LIMIT_TAG = 2;
/** Compute units of a transfer and the limit instruction; each repetition of an airdrop requests one more. */
const UNITS = 450;

export type Airdrop = { readonly to: string; readonly lamports: bigint; readonly blockhash: string };

/**
 * Returns the faucet's signed transfer. A second one of the same amount to the same address with the same blockhash would be the same
 * transaction, so it has a compute unit limit that makes it different.
 */
export function airdropTransaction(ledger: Ledger, airdrop: Airdrop): DecodedTransaction {
  const { faucet } = ledger.genesis;
  let transaction = signed(faucet, transferMessage(faucet.address, airdrop, undefined));
  for (let units = UNITS; ledger.isKnown(transaction); units++) {
    transaction = signed(faucet, transferMessage(faucet.address, airdrop, units));
  }
  return transaction;
}

function transferMessage(
  from: string,
  { to, lamports, blockhash }: Airdrop,
  unitLimit: number | undefined,
): Uint8Array {
  const writable = [...new Set([from, to])];
  const programs = unitLimit === undefined ? [SYSTEM_PROGRAM] : [SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM];
  const readonly = programs.filter((address) => !writable.includes(address));
  const keys = [...writable, ...readonly];
  const transfer = new ByteWriter(12).u32(TRANSFER_TAG).u64(lamports).bytes;
  const instructions = [instruction(keys.indexOf(SYSTEM_PROGRAM), [0, keys.indexOf(to)], transfer)];
  if (unitLimit !== undefined) {
    const limit = new ByteWriter(5).u8(SET_UNIT_LIMIT_TAG).u32(unitLimit).bytes;
    instructions.unshift(instruction(keys.indexOf(COMPUTE_BUDGET_PROGRAM), [], limit));
  }
  const head = Uint8Array.of(1, 0, readonly.length, keys.length);
  const count = Uint8Array.of(instructions.length);
  return Buffer.concat([
    head,
    ...keys.map((key) => base58.decode(key)),
    base58.decode(blockhash),
    count,
    ...instructions,
  ]);
}

function instruction(program: number, accounts: readonly number[], data: Uint8Array): Uint8Array {
  return Uint8Array.of(program, accounts.length, ...accounts, data.length, ...data);
}

function signed(keypair: Keypair, message: Uint8Array): DecodedTransaction {
  return decodeTransaction(Buffer.concat([Uint8Array.of(1), keypair.sign(message), message]));
}
