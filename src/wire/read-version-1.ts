import { base58 } from '@scure/base';
import type { Instruction, Message } from './message.ts';
import { assertConfigMask, readConfigValues } from './transaction-config.ts';
import type { WireReader } from './wire-reader.ts';

const KEY_BYTES = 32;
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
