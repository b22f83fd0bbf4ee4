import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { durableNonce, isNonceUsable, nonceAddressOf } from './durable-nonce.ts';

/** The reason why a message may run in a bank: a recent blockhash, or the nonce account that it advances. */
export type Age =
  | { readonly kind: 'recent' }
  | { readonly kind: 'nonce'; readonly address: string }
  | { readonly kind: 'error'; readonly error: TransactionError };

/** Checks whether the bank of `slot` accepts the message's blockhash, as a recent one or as a durable nonce. */
export function checkAge(ledger: LedgerState, message: Message, slot: bigint): Age {
  const { blocks, accounts } = ledger;
  const latest = blocks.latestHashSlot(slot);
  if (blocks.blockhashes.isValid(message.recentBlockhash, latest)) return { kind: 'recent' };
  const address = nonceAddressOf(message);
  const isAdvanceable = message.recentBlockhash !== durableNonce(blocks.blockhash(latest));
  if (address !== undefined && isAdvanceable && isNonceUsable(message, accounts.read(address, slot)))
    return { kind: 'nonce', address };
  return { kind: 'error', error: 'BlockhashNotFound' };
}

/** True when the bank of `slot` has processed the transaction already. */
export function isProcessed(ledger: LedgerState, { signatures }: DecodedTransaction, slot: bigint): boolean {
  const record = ledger.blocks.index.find(signatures[0] ?? '');
  return record !== undefined && record.slot <= slot;
}
