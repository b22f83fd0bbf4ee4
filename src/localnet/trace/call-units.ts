import * as programs from '../addresses/program-ids.ts';
import type { InnerInstructions } from '../model.ts';
import type { Instruction } from '../../core/wire/message.ts';
import { MESSAGE_STACK_HEIGHT } from '../encode/instruction.ts';
import type { LoggedCall } from './log-calls.ts';

/**
 * Compute units of the built-in programs, which the runtime does not log: each takes the same for every instruction (agave,
 * `DEFAULT_COMPUTE_UNITS` of each; the precompiles take none).
 */
const BUILT_IN: ReadonlyMap<string, bigint> = new Map([
  [programs.SYSTEM_PROGRAM, 150n],
  [programs.COMPUTE_BUDGET_PROGRAM, 150n],
  [programs.VOTE_PROGRAM, 2_100n],
  [programs.UPGRADEABLE_LOADER, 2_370n],
  [programs.BPF_LOADER, 570n],
  [programs.LOADER_DEPRECATED, 1_140n],
  [programs.LOADER_V4, 2_000n],
  [programs.ED25519_PROGRAM, 0n],
  [programs.SECP256K1_PROGRAM, 0n],
  [programs.SECP256R1_PROGRAM, 0n],
]);

/** Returns the compute units of a call that ran, including its inner calls; null if unknown. */
export function callUnits({ programId, logged }: Call): bigint | null {
  if (logged?.units != null) return logged.units;
  const failure = typeof logged?.end === 'object' ? logged.end.failed : '';
  // A program with fewer units left than its cost uses up the rest.
  return /budget exceeded/i.test(failure) ? null : (BUILT_IN.get(programId) ?? null);
}

/** A call of a transaction with its inner calls and its part of the logs. */
export type Call = {
  readonly path: string;
  readonly programId: string;
  readonly instruction: Instruction;
  readonly height: number;
  readonly calls: readonly Call[];
  readonly logged: LoggedCall | undefined;
};
type OpenCall = { -readonly [K in keyof Call]: Call[K] } & { calls: OpenCall[] };

/** Arranges the instructions of a message and their inner instructions in a tree. `keys` are all account keys of the transaction. */
export function callTree(
  instructions: readonly Instruction[],
  inner: readonly InnerInstructions[],
  keys: readonly string[],
): readonly OpenCall[] {
  const open = (instruction: Instruction, path: string, height: number): OpenCall => {
    const programId = keys[instruction.programIdIndex] ?? '';
    return { path, programId, instruction, height, calls: [], logged: undefined };
  };
  return instructions.map((instruction, index) => {
    const top = open(instruction, String(index), MESSAGE_STACK_HEIGHT);
    const stack = [top];
    for (const called of inner.find((each) => each.index === index)?.instructions ?? []) {
      stack.length = Math.min(stack.length, Math.max(called.stackHeight - 1, 1));
      const caller = stack.at(-1) ?? top;
      const call = open(called, `${caller.path}.${caller.calls.length}`, called.stackHeight);
      caller.calls.push(call);
      stack.push(call);
    }
    return top;
  });
}

/**
 * Attaches the logs to the calls: both are in the order in which calls began. Precompiles write no logs, and calls after a truncation have
 * none.
 */
export function attachLogs(roots: readonly OpenCall[], logged: readonly LoggedCall[]): readonly Call[] {
  let next = 0;
  const attach = (call: OpenCall): void => {
    const candidate = logged[next];
    if (candidate?.programId === call.programId && candidate.height === call.height) {
      call.logged = candidate;
      next += 1;
    }
    call.calls.forEach(attach);
  };
  roots.forEach(attach);
  return roots;
}
