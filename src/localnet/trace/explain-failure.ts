import type { InstructionError, TransactionError } from '../../../generated/ledger/types.ts';
import type { TracedCall, TraceFailure } from '../../../generated/localnet/types.ts';
import { errorText, instructionErrorText } from '../transaction/error-text.ts';
import type { Ending } from './call-status.ts';
import type { Idls } from './name-call.ts';
import { programErrorWords } from './program-errors.ts';

/** Says in words which call of a transaction failed, and why; null if none did. */
export function explainFailure(
  calls: readonly TracedCall[],
  ending: Ending,
  idls: Idls,
): TraceFailure | null {
  const { err, ran } = ending;
  if (err === null) return null;
  if (typeof err === 'object' && 'InstructionError' in err) {
    const [index, reason] = err.InstructionError;
    const call = innermost(calls[index]);
    if (call !== undefined && ran) return { path: call.path, message: failedCall(call, reason, idls) };
  }
  return { path: null, message: refusal(err, ran) };
}

function refusal(err: TransactionError, ran: boolean): string {
  const when = ran
    ? 'The instructions ran, and the transaction was refused after them'
    : 'The transaction was refused before its first instruction';
  return `${when}: ${errorText(err)}`;
}

/** A call fails with the one that it made. */
function innermost(call: TracedCall | undefined): TracedCall | undefined {
  const inner = call?.calls.find(({ status }) => status === 'failed');
  return inner === undefined ? call : innermost(inner);
}

function failedCall(call: TracedCall, reason: InstructionError, idls: Idls): string {
  const { path, program, programId, instruction } = call;
  const called = `${program ?? programId}${instruction === null ? '' : `: ${instruction}`}`;
  const place = path.includes('.') ? `Call ${path}` : `Instruction ${path}`;
  const last = call.logs.at(-1);
  const said = last === undefined ? '' : `; the last line of its log is "${last}"`;
  return `${place} (${called}) failed: ${reasonWords(programId, reason, idls)}${said}`;
}

/** Words of the program for an error of its own, with the number that clients see. */
function reasonWords(programId: string, reason: InstructionError, idls: Idls): string {
  const text = instructionErrorText(reason);
  if (typeof reason === 'string') return text;
  const words = idls.get(programId)?.errors.get(reason.Custom) ?? programErrorWords(programId, reason.Custom);
  return words === undefined ? text : `${words} (${text})`;
}
