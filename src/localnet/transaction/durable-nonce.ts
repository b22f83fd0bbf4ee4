import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Account } from '../model.ts';
import type { Message } from '../../core/wire/message.ts';
import { isSigner, writableKeys } from './account-keys.ts';
import { LAMPORTS_PER_SIGNATURE } from './fee.ts';

const ADVANCE_NONCE_TAG = 4;
const NONCE_ACCOUNT_BYTES = 80;
const CURRENT_VERSION = 1;
const INITIALIZED = 1;
const NONCE_OFFSET = 40;
const NO_LOADED_ADDRESSES = { writable: [], readonly: [] };

/** Returns the nonce account that a message advances with its first instruction, if it is a durable nonce message. */
export function nonceAddressOf(message: Message): string | undefined {
  const first = message.instructions[0];
  if (first === undefined || message.staticKeys[first.programIdIndex] !== SYSTEM_PROGRAM) return undefined;
  const { data } = first;
  if (data.length < 4 || new DataView(data.buffer, data.byteOffset).getUint32(0, true) !== ADVANCE_NONCE_TAG)
    return undefined;
  const address = message.staticKeys[first.accounts[0] ?? message.staticKeys.length];
  if (address === undefined || !writableKeys(message, NO_LOADED_ADDRESSES).includes(address))
    return undefined;
  return address;
}

/** True for a nonce account that holds a nonce. */
export function isInitializedNonce({ owner, data }: Account): boolean {
  if (owner !== SYSTEM_PROGRAM || data.length !== NONCE_ACCOUNT_BYTES) return false;
  const view = new DataView(data.buffer, data.byteOffset, NONCE_ACCOUNT_BYTES);
  return view.getUint32(0, true) === CURRENT_VERSION && view.getUint32(4, true) === INITIALIZED;
}

/** True when the nonce account stores the message's blockhash as its nonce, and its authority signs the advance. */
export function isNonceUsable(message: Message, account: Account | undefined): boolean {
  if (account === undefined || !isInitializedNonce(account)) return false;
  const authority = base58.encode(account.data.subarray(8, NONCE_OFFSET));
  const nonce = base58.encode(account.data.subarray(NONCE_OFFSET, NONCE_OFFSET + 32));
  const signers = (message.instructions[0]?.accounts ?? []).filter((index) => isSigner(message, index));
  return (
    nonce === message.recentBlockhash && signers.some((index) => message.staticKeys[index] === authority)
  );
}

/** Returns the nonce that an advance stores while `blockhash` is the latest. Base-58. */
export function durableNonce(blockhash: string): string {
  return base58.encode(durableNonceBytes(blockhash));
}

/** Returns the nonce account after an advance, also for a failed transaction. */
export function advanceNonce(account: Account, blockhash: string): Account {
  const data = new Uint8Array(account.data);
  data.set(durableNonceBytes(blockhash), NONCE_OFFSET);
  new DataView(data.buffer).setBigUint64(NONCE_OFFSET + 32, LAMPORTS_PER_SIGNATURE, true);
  return { ...account, data };
}

function durableNonceBytes(blockhash: string): Uint8Array {
  return createHash('sha256').update('DURABLE_NONCE').update(base58.decode(blockhash)).digest();
}
