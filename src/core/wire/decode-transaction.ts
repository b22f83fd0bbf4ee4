import { base58 } from '@scure/base';
import { serviceError } from '../service-error.ts';
import type { DecodedTransaction, Instruction, Message, MessageHeader, TableLookup } from './message.ts';
import { MalformedBytes, WireReader } from './wire-reader.ts';
import { assertConfigMask, readConfigValues } from './transaction-layout.ts';

const VERSION_BIT = 0x80;
const VERSION_1_BYTE = VERSION_BIT | 1;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

/**
 * Decodes a transaction of any version. Bytes after the end of a legacy or version 0 transaction are ignored, as nodes do; version 1 has a
 * stated end, and any bytes after it are refused (SIMD-0385).
 *
 * @throws ServiceError transactionMalformed.
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  return asServiceError('solana_transaction::versioned::VersionedTransaction', () => {
    const reader = new WireReader(bytes);
    const first = reader.peek();
    if (first === VERSION_1_BYTE) return readSignedAtEnd(bytes, reader);
    if ((first & VERSION_BIT) === 0) return readSignedInFront(bytes, reader);
    throw new MalformedBytes('Custom error: invalid transaction discriminator');
  });
}

/**
 * Decodes a message without signatures.
 *
 * @throws ServiceError transactionMalformed.
 */
export function decodeMessage(bytes: Uint8Array): Message {
  return asServiceError('solana_message::versions::VersionedMessage', () => {
    const reader = new WireReader(bytes);
    const message = readMessage(reader);
    if (message.version === 1) assertAtEnd(reader);
    return message;
  });
}

function readSignedInFront(bytes: Uint8Array, reader: WireReader): DecodedTransaction {
  const count = reader.u8();
  reader.expect(count * SIGNATURE_BYTES);
  const signatures = reader.times(count, () => base58.encode(reader.take(SIGNATURE_BYTES)));
  const start = reader.offset;
  const message = readMessage(reader);
  if (message.version === 1) throw new MalformedBytes('Custom error: invalid message version');
  const wire = new Uint8Array(bytes.subarray(0, reader.offset));
  return { wire, signatures, messageBytes: wire.subarray(start), message };
}

function readSignedAtEnd(bytes: Uint8Array, reader: WireReader): DecodedTransaction {
  const message = readMessage(reader);
  const end = reader.offset;
  const count = message.header.numRequiredSignatures;
  reader.expect(count * SIGNATURE_BYTES);
  const signatures = reader.times(count, () => base58.encode(reader.take(SIGNATURE_BYTES)));
  assertAtEnd(reader);
  const wire = new Uint8Array(bytes);
  return { wire, signatures, messageBytes: wire.subarray(0, end), message };
}

function readMessage(reader: WireReader): Message {
  const first = reader.peek();
  if ((first & VERSION_BIT) === 0) return readUnversioned(reader, 'legacy');
  reader.u8();
  const version = first & ~VERSION_BIT;
  if (version === 0) return readUnversioned(reader, 0);
  if (version === 1) return readVersion1(reader);
  throw new MalformedBytes(`Invalid tag encoding: ${version}`);
}

/** The common part of legacy and version 0 messages; the latter has its lookups after it. */
function readUnversioned(reader: WireReader, version: 'legacy' | 0): Message {
  const header = readHeader(reader, version);
  const keyCount = reader.length();
  reader.expect(keyCount * KEY_BYTES);
  const staticKeys = reader.times(keyCount, () => readKey(reader));
  const recentBlockhash = readKey(reader);
  const instructions = reader.list(() => readInstruction(reader));
  const lookups = version === 'legacy' ? [] : reader.list(() => readLookup(reader));
  return { version, header, staticKeys, recentBlockhash, instructions, lookups };
}

/** Nodes read the header of version 0 at once; in a legacy message the byte that identifies the version is its first. */
function readHeader(reader: WireReader, version: 'legacy' | 0): MessageHeader {
  if (version === 0) reader.expect(3);
  const numRequiredSignatures = reader.u8();
  reader.expect(2);
  const [numReadonlySignedAccounts, numReadonlyUnsignedAccounts] = [reader.u8(), reader.u8()];
  return { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts };
}

function readKey(reader: WireReader): string {
  return base58.encode(reader.take(KEY_BYTES));
}

function readInstruction(reader: WireReader): Instruction {
  const programIdIndex = reader.u8();
  const accounts = [...reader.take(reader.length())];
  const data = new Uint8Array(reader.take(reader.length()));
  return { programIdIndex, accounts, data };
}

function readLookup(reader: WireReader): TableLookup {
  return {
    accountKey: readKey(reader),
    writableIndexes: [...reader.take(reader.length())],
    readonlyIndexes: [...reader.take(reader.length())],
  };
}

function assertAtEnd(reader: WireReader): void {
  if (reader.left > 0) throw new MalformedBytes('Trailing bytes remain after deserialization');
}

function asServiceError<T>(expected: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof MalformedBytes)
      throw serviceError('transactionMalformed', { expected, reason: error.reason }, error);
    throw error;
  }
}

/** Header, config mask, lifetime specifier, number of instructions, number of addresses. */
const FIXED_BYTES = 3 + 4 + KEY_BYTES + 1 + 1;
/** Header of an instruction: program index, number of accounts, length of the data. */
const INSTRUCTION_HEADER_BYTES = 4;

/** Reads a version 1 message (SIMD-0385) after its version byte. Throws MalformedBytes. */
export function readVersion1(reader: WireReader): Message {
  reader.expect(FIXED_BYTES);
  const header = {
    numRequiredSignatures: reader.u8(),
    numReadonlySignedAccounts: reader.u8(),
    numReadonlyUnsignedAccounts: reader.u8(),
  };
  const mask = reader.u32();
  const recentBlockhash = base58.encode(reader.take(KEY_BYTES));
  const [instructionCount, keyCount] = [reader.u8(), reader.u8()];
  assertConfigMask(mask);
  reader.expect(keyCount * KEY_BYTES);
  const staticKeys = reader.times(keyCount, () => base58.encode(reader.take(KEY_BYTES)));
  const config = readConfigValues(reader, mask);
  const instructions = readInstructions(reader, instructionCount);
  return { version: 1, header, staticKeys, recentBlockhash, instructions, lookups: [], config };
}

/** First the headers of all instructions, then the payloads in the same order. */
function readInstructions(reader: WireReader, count: number): readonly Instruction[] {
  reader.expect(count * INSTRUCTION_HEADER_BYTES);
  const headers = reader.times(count, () => ({
    programIdIndex: reader.u8(),
    accountCount: reader.u8(),
    dataBytes: reader.u16(),
  }));
  return headers.map(({ programIdIndex, accountCount, dataBytes }) => ({
    programIdIndex,
    accounts: [...reader.take(accountCount)],
    data: new Uint8Array(reader.take(dataBytes)),
  }));
}
