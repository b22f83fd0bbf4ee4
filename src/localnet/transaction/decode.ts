import { base58 } from '@scure/base';
import { serviceError } from '../../service-error.ts';
import type { DecodedTransaction, Instruction, Message, TableLookup } from '../model.ts';
import { WireReader, MalformedBytes } from './wire-reader.ts';

const VERSION_BIT = 0x80;

/**
 * Decodes a legacy or version 0 transaction. Bytes after its end are ignored, as nodes do.
 *
 * @throws ServiceError transactionMalformed.
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  return rethrown('solana_transaction::versioned::VersionedTransaction', () => {
    const reader = new WireReader(bytes);
    const signatures = reader.list(() => base58.encode(reader.take(64)));
    const start = reader.offset;
    const message = readMessage(reader);
    const wire = new Uint8Array(bytes.subarray(0, reader.offset));
    return { wire, signatures, messageBytes: wire.subarray(start), message };
  });
}

/**
 * Decodes a message without signatures.
 *
 * @throws ServiceError transactionMalformed.
 */
export function decodeMessage(bytes: Uint8Array): Message {
  return rethrown('solana_message::versions::VersionedMessage', () => readMessage(new WireReader(bytes)));
}

/** Where the recent blockhash of a transaction lies in its wire form. */
export function blockhashOffset({ wire, messageBytes, message }: DecodedTransaction): number {
  const prefix = message.version === 'legacy' ? 3 : 4;
  const keyCountSize = message.staticKeys.length < 0x80 ? 1 : 2;
  return wire.length - messageBytes.length + prefix + keyCountSize + 32 * message.staticKeys.length;
}

function readMessage(reader: WireReader): Message {
  const version = readVersion(reader);
  const header = {
    numRequiredSignatures: reader.u8(),
    numReadonlySignedAccounts: reader.u8(),
    numReadonlyUnsignedAccounts: reader.u8(),
  };
  const readKey = (): string => base58.encode(reader.take(32));
  const staticKeys = reader.list(readKey);
  const recentBlockhash = readKey();
  const instructions = reader.list(() => readInstruction(reader));
  const lookups = version === 'legacy' ? [] : reader.list(() => readLookup(reader));
  return { version, header, staticKeys, recentBlockhash, instructions, lookups };
}

function readVersion(reader: WireReader): Message['version'] {
  const first = reader.peek();
  if ((first & VERSION_BIT) === 0) return 'legacy';
  reader.u8();
  const version = first & ~VERSION_BIT;
  if (version === 127) throw new MalformedBytes('custom: off-chain messages are not accepted');
  if (version !== 0)
    throw new MalformedBytes(
      `invalid value: integer \`${version}\`, expected a valid transaction message version`,
    );
  return 0;
}

function readInstruction(reader: WireReader): Instruction {
  const programIdIndex = reader.u8();
  const accounts = reader.list(() => reader.u8());
  const data = new Uint8Array(reader.take(reader.length()));
  return { programIdIndex, accounts, data };
}

function readLookup(reader: WireReader): TableLookup {
  const accountKey = base58.encode(reader.take(32));
  return {
    accountKey,
    writableIndexes: reader.list(() => reader.u8()),
    readonlyIndexes: reader.list(() => reader.u8()),
  };
}

function rethrown<T>(expected: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof MalformedBytes)
      throw serviceError('transactionMalformed', { expected, reason: error.reason }, error);
    throw error;
  }
}
