import type {
  ParsedInnerInstructions,
  ParsedMessageInstruction,
} from '../../../../../generated/ledger/types.ts';

/** An instruction to show. */
export type DescribedInstruction = {
  readonly program: string;
  readonly programId: string;
  /** What it does, if the node knows the program: "transfer". */
  readonly type?: string;
  /** Its members, or its accounts and raw data. */
  readonly members: unknown;
  /** The instructions that it called. */
  readonly inner: readonly DescribedInstruction[];
};

/** Returns the instructions of a message, each with those that it called. */
export function describeInstructions(
  instructions: readonly ParsedMessageInstruction[],
  inner: readonly ParsedInnerInstructions[] | null,
): readonly DescribedInstruction[] {
  return instructions.map((instruction, at) => {
    const called = inner?.find(({ index }) => index === at)?.instructions ?? [];
    return describe(
      instruction,
      called.map((each) => describe(each, [])),
    );
  });
}

function describe(
  instruction: ParsedMessageInstruction,
  inner: readonly DescribedInstruction[],
): DescribedInstruction {
  const { programId } = instruction;
  if (!('parsed' in instruction)) {
    const { accounts, data } = instruction;
    return { program: 'Program', programId, members: { accounts, data }, inner };
  }
  const { program, parsed } = instruction;
  if (typeof parsed === 'string') return { program, programId, type: 'memo', members: parsed, inner };
  const members = 'info' in parsed ? parsed.info : {};
  return { program, programId, type: parsed.type, members, inner };
}
