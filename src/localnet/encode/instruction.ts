import type {
  CompiledInstruction,
  InnerInstructions as EncodedInnerInstructions,
  ParsedInnerInstructions,
  ParsedMessageInstruction,
} from '../../../generated/ledger/types.ts';
import type { InnerInstructions } from '../model.ts';
import type { Instruction } from '../../core/wire/message.ts';
import { encodeBase58 } from '../bytes/base58.ts';
import { parseInstruction } from './parsed-instruction/parse-instruction.ts';

/** Stack height of an instruction of the message; inner instructions are higher. */
export const MESSAGE_STACK_HEIGHT = 1;

/** Encodes an instruction with its indexes, as under encoding json. */
export function encodeInstruction(instruction: Instruction, stackHeight: number): CompiledInstruction {
  return {
    programIdIndex: instruction.programIdIndex,
    accounts: [...instruction.accounts],
    data: encodeBase58(instruction.data),
    stackHeight,
  };
}

/**
 * Encodes an instruction as under jsonParsed: its parts named if nodes know the program, else with full addresses. `keys` are all account
 * keys of the transaction; an index beyond them is left out.
 */
export function encodeParsedInstruction(
  instruction: Instruction,
  keys: readonly string[],
  stackHeight: number,
): ParsedMessageInstruction {
  const programId = keys[instruction.programIdIndex] ?? '';
  const parsed = parseInstruction(programId, instruction, keys, stackHeight);
  if (parsed !== undefined) return parsed;
  const accounts = instruction.accounts.map((index) => keys[index]).filter((key) => key !== undefined);
  return { programId, accounts, data: encodeBase58(instruction.data), stackHeight };
}

/** Encodes the inner instructions of one instruction with indexes. */
export function encodeInnerInstructions({
  index,
  instructions,
}: InnerInstructions): EncodedInnerInstructions {
  return { index, instructions: instructions.map((call) => encodeInstruction(call, call.stackHeight)) };
}

/** Encodes the inner instructions of one instruction, parsed. */
export function encodeParsedInnerInstructions(
  { index, instructions }: InnerInstructions,
  keys: readonly string[],
): ParsedInnerInstructions {
  return {
    index,
    instructions: instructions.map((call) => encodeParsedInstruction(call, keys, call.stackHeight)),
  };
}
