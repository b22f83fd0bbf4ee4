import { base58 } from '@scure/base';
import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import type { Ledger } from '../ledger.ts';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import { simulateTransactionAt } from '../transaction/simulate.ts';

const GET_MINIMUM_DELEGATION = Uint8Array.of(13, 0, 0, 0);
const U64_BYTES = 8;

/** Returns the minimum delegation of a stake account, in lamports, from the ledger's own stake program. */
export function minimumDelegation(ledger: Ledger, slot: bigint): bigint {
  const keys = [ledger.genesis.identity.address, STAKE_PROGRAM].map((key) => base58.decode(key));
  const instruction = Uint8Array.of(1, 0, GET_MINIMUM_DELEGATION.length, ...GET_MINIMUM_DELEGATION);
  const message = Buffer.concat([
    Uint8Array.of(1, 0, 1, keys.length),
    ...keys,
    new Uint8Array(32),
    Uint8Array.of(1),
    instruction,
  ]);
  const transaction = decodeTransaction(Buffer.concat([Uint8Array.of(1), new Uint8Array(64), message]));
  const { simulation } = simulateTransactionAt(ledger, transaction, {
    slot,
    verifySignatures: false,
    anyBlockhash: true,
  });
  const data = simulation.returnData?.data;
  if (data === undefined) throw new Error('the stake program did not return its minimum delegation');
  const value = new Uint8Array(U64_BYTES);
  value.set(data);
  return new DataView(value.buffer).getBigUint64(0, true);
}
