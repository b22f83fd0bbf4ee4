/** The part of a transaction's logs about one call. */
export type LoggedCall = {
  readonly programId: string;
  /** 1 for an instruction of the message. */
  readonly height: number;
  /** Lines of the program, without its inner calls. */
  readonly lines: readonly string[];
  /** Null: the program is built in, or the logs were cut. */
  readonly units: bigint | null;
  /** In base-64. */
  readonly returnData: string | null;
  readonly end: 'success' | 'open' | { readonly failed: string };
};
type OpenCall = { -readonly [K in keyof LoggedCall]: LoggedCall[K] } & { lines: string[] };

const INVOKE = /^Program (\w{32,44}) invoke \[(\d+)\]$/;
const CONSUMED = /^Program (\w{32,44}) consumed (\d+) of \d+ compute units$/;
const SUCCESS = /^Program (\w{32,44}) success$/;
const FAILED = /^Program (\w{32,44}) failed: (.*)$/s;
const RETURN = /^Program return: (\w{32,44}) (.*)$/;
const CUT = 'Log truncated';
const LOG = 'Program log: ';

/**
 * Reads the logs of a transaction (agave, `stable_log`) as its calls, in the order in which they began. Program lines have their own
 * prefix, so that none can be mistaken for a line of the runtime. After a truncation the runtime still logs lines that fit, which cannot be
 * assigned to calls: they are ignored.
 */
export function readLogs(logs: readonly string[]): {
  readonly calls: readonly LoggedCall[];
  readonly isCut: boolean;
} {
  const calls: OpenCall[] = [];
  const stack: OpenCall[] = [];
  for (const line of logs) {
    if (line === CUT) return { calls, isCut: true };
    const invoked = INVOKE.exec(line);
    if (invoked !== null) {
      const [, programId = '', height] = invoked;
      const call: OpenCall = {
        programId,
        height: Number(height),
        lines: [],
        units: null,
        returnData: null,
        end: 'open',
      };
      calls.push(call);
      stack.push(call);
      continue;
    }
    const call = stack.at(-1);
    if (call !== undefined && note(call, line)) stack.pop();
  }
  return { calls, isCut: false };
}

/** Notes a line of a call. Returns true if it ends the call. */
function note(call: OpenCall, line: string): boolean {
  const consumed = CONSUMED.exec(line);
  if (consumed?.[1] === call.programId) {
    call.units = BigInt(consumed[2] ?? 0);
    return false;
  }
  const returned = RETURN.exec(line);
  if (returned?.[1] === call.programId) {
    call.returnData = returned[2] ?? '';
    return false;
  }
  if (SUCCESS.exec(line)?.[1] === call.programId) {
    call.end = 'success';
    return true;
  }
  const failed = FAILED.exec(line);
  if (failed?.[1] === call.programId) {
    call.end = { failed: failed[2] ?? '' };
    return true;
  }
  call.lines.push(line.startsWith(LOG) ? line.slice(LOG.length) : line);
  return false;
}
