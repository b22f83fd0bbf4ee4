import type {
  ParsedInnerInstructions,
  ParsedMessageInstruction,
  ParsedAccountKey,
  ParsedTransactionMeta,
} from '../../../../../generated/ledger/types.ts';

/** An instruction to show. */
export type DescribedInstruction = {
  readonly program: string;
  readonly programId: string;
  /** Its type, if the node knows the program: "transfer". */
  readonly type?: string;
  /** Its members, or its accounts and raw data. */
  readonly members: unknown;
  /** The instructions that it called. */
  readonly inner: readonly DescribedInstruction[];
};

/** Returns the instructions of a message, each with its inner instructions. */
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

/** A change of the balance of an account. */
export type BalanceChange = {
  readonly address: string;
  /** The rights of the transaction on it: "signer, writable". */
  readonly roles: string;
  readonly before: bigint;
  readonly after: bigint;
  readonly change: bigint;
};

/** Returns every account of a transaction with its balance before and after, in the order of the message. */
export function balanceChanges(
  keys: readonly ParsedAccountKey[],
  { preBalances, postBalances }: Pick<ParsedTransactionMeta, 'preBalances' | 'postBalances'>,
): readonly BalanceChange[] {
  return keys.map(({ pubkey, signer, writable, source }, index) => {
    const [before = 0n, after = 0n] = [preBalances[index], postBalances[index]];
    const roles = [
      signer ? 'signer' : undefined,
      writable ? 'writable' : 'read-only',
      source === 'lookupTable' ? 'from a lookup table' : undefined,
    ];
    return {
      address: pubkey,
      before,
      after,
      change: after - before,
      roles: roles.filter((role) => role !== undefined).join(', '),
    };
  });
}
