import type { InnerInstructions } from '../model.ts';
import type { Instruction } from '../../wire/message.ts';
import { MESSAGE_STACK_HEIGHT } from '../encode/instruction.ts';
import type { LoggedCall } from './log-calls.ts';

/** A call of a transaction with those that it made, and what the logs tell of it. */
export type Call = {
  readonly path: string;
  readonly programId: string;
  readonly instruction: Instruction;
  readonly height: number;
  readonly calls: readonly Call[];
  readonly logged: LoggedCall | undefined;
};
type OpenCall = { -readonly [K in keyof Call]: Call[K] } & { calls: OpenCall[] };

/** Puts the instructions of a message and those that they called into a tree. `keys` are all account keys of the transaction. */
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
 * Gives each call what the logs tell of it: both are in the order in which calls began. The precompiles write no logs, and calls after a cut
 * have none.
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
