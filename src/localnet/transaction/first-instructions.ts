import { base58 } from '@scure/base';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import type { DecodedTransaction, Instruction, Message, TableLookup } from '../../core/wire/message.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses/program-ids.ts';

const VERSION_0_BYTE = 0x80;

/**
 * Returns a legacy or version 0 transaction reduced to its first instructions and all that set its compute budget, so that its limits and
 * the positions of the first instructions stay. Its signatures no longer match.
 */
export function firstInstructions(
  { signatures, message }: DecodedTransaction,
  count: number,
): DecodedTransaction {
  const instructions = message.instructions.filter(
    (instruction, index) => index < count || setsBudget(message, instruction),
  );
  const parts = [
    compactLength(signatures.length),
    ...signatures.map((signature) => base58.decode(signature)),
    messageBytes({ ...message, instructions }),
  ];
  return decodeTransaction(Buffer.concat(parts));
}

/** True for an instruction of the compute budget program. */
export function setsBudget({ staticKeys }: Message, { programIdIndex }: Instruction): boolean {
  return staticKeys[programIdIndex] === COMPUTE_BUDGET_PROGRAM;
}

function messageBytes({
  version,
  header,
  staticKeys,
  recentBlockhash,
  instructions,
  lookups,
}: Message): Buffer {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  return Buffer.concat([
    Uint8Array.from(version === 0 ? [VERSION_0_BYTE] : []),
    Uint8Array.of(numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts),
    compactLength(staticKeys.length),
    ...staticKeys.map((key) => base58.decode(key)),
    base58.decode(recentBlockhash),
    compactLength(instructions.length),
    ...instructions.flatMap(instructionBytes),
    ...(version === 0 ? [compactLength(lookups.length), ...lookups.flatMap(lookupBytes)] : []),
  ]);
}

function instructionBytes({ programIdIndex, accounts, data }: Instruction): readonly Uint8Array[] {
  return [Uint8Array.of(programIdIndex), ...withLength(accounts), compactLength(data.length), data];
}

function lookupBytes({ accountKey, writableIndexes, readonlyIndexes }: TableLookup): readonly Uint8Array[] {
  return [base58.decode(accountKey), ...withLength(writableIndexes), ...withLength(readonlyIndexes)];
}

function withLength(indexes: readonly number[]): readonly Uint8Array[] {
  return [compactLength(indexes.length), Uint8Array.from(indexes)];
}

/** A length in one to three bytes, seven bits each, the lowest first. */
function compactLength(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = length; ; left >>= 7) {
    if (left < VERSION_0_BYTE) return Uint8Array.from([...bytes, left]);
    bytes.push((left & 0x7f) | VERSION_0_BYTE);
  }
}
