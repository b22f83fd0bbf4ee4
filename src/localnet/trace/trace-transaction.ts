import type {
  TracedCall,
  TransactionTrace,
  TraceFailure,
  TraceStatus,
} from '../../../generated/localnet/types.ts';
import { encodeBase64 } from '../bytes/base58.ts';
import type { InnerInstructions } from '../model.ts';
import type { DecodedTransaction, Instruction } from '../../core/wire/message.ts';
import { attachLogs, type Call, callTree, callUnits } from './call-units.ts';
import { readLogs } from './log-calls.ts';
import { newBudget, type DecodeBudget, decodeArgs } from './idl/decode-args.ts';
import { type AccountSources, tracedAccounts } from './traced-accounts.ts';
import type { InstructionError, TransactionError } from '../../../generated/ledger/types.ts';
import { errorText, instructionErrorText } from '../transaction/error-text.ts';
import { programErrorWords } from './program-errors.ts';
import { parseInstruction, programName } from '../encode/parsed-instruction/parse-instruction.ts';
import type { ProgramIdl } from './idl/program-idl.ts';
import * as programs from '../addresses/program-ids.ts';
import { type ByteReader, decodeBytes } from '../bytes/byte-reader.ts';
import { readConfigKeys } from '../encode/parsed-account/config.ts';
import type { JsonValue } from '../encode/parsed-account/parsed-state.ts';

/** A transaction that landed or was simulated, with the runtime's results. */
export type TransactionRun = Omit<AccountSources, 'message'> &
  Ending &
  Pick<TransactionTrace, 'kind' | 'slot' | 'fee'> & {
    readonly transaction: DecodedTransaction;
    readonly logs: readonly string[];
    readonly innerInstructions: readonly InnerInstructions[];
    readonly units: bigint;
  };

/** Explains a transaction: its calls as a tree, its accounts before and after, and the failing call in words. */
export function traceTransaction(run: TransactionRun, idls: Idls): TransactionTrace {
  const { kind, transaction, slot, err, fee, units, keys } = run;
  const { message } = transaction;
  const logged = readLogs(run.logs);
  const tree = attachLogs(callTree(message.instructions, run.innerInstructions, keys), logged.calls);
  const naming = { idls, budget: newBudget() };
  const calls = tree.map((call, index) => traced(call, { index, keys, naming, ending: run }));
  const told = calls.reduce((sum, { computeUnits }) => sum + (computeUnits ?? 0n), 0n);
  return {
    kind,
    signature: transaction.signatures[0] ?? '',
    slot,
    err,
    failure: explainFailure(calls, run, idls),
    fee,
    computeUnits: units,
    unattributedComputeUnits: units > told ? units - told : 0n,
    logsCut: logged.isCut,
    statesKept: run.states !== undefined,
    calls,
    accounts: tracedAccounts({ ...run, message }),
  };
}

type Scene = {
  /** The instruction of the message that the call belongs to. */
  readonly index: number;
  readonly keys: readonly string[];
  readonly naming: Naming;
  readonly ending: Ending;
};

function traced(call: Call, scene: Scene): TracedCall {
  const { path, programId, instruction, logged } = call;
  const status = callStatus(call, scene.index, scene.ending);
  const calls = call.calls.map((each) => traced(each, scene));
  const computeUnits = status === 'notRun' ? 0n : callUnits(call);
  return {
    path,
    programId,
    ...nameCall(call, scene.keys, scene.naming),
    data: encodeBase64(instruction.data),
    status,
    error: typeof logged?.end === 'object' ? logged.end.failed : null,
    computeUnits,
    ownComputeUnits: ownUnits(computeUnits, calls),
    logs: [...(logged?.lines ?? [])],
    returnData: logged?.returnData ?? null,
    calls,
  };
}

function ownUnits(units: bigint | null, calls: readonly TracedCall[]): bigint | null {
  let own = units;
  for (const { computeUnits } of calls)
    own = own === null || computeUnits === null ? null : own - BigInt(computeUnits);
  return own;
}

/** Describes which call of a transaction failed, and why; null if none did. */
function explainFailure(calls: readonly TracedCall[], ending: Ending, idls: Idls): TraceFailure | null {
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

/** A call fails together with the inner call that failed. */
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

/** The program's words for its own error, with the number that clients see. */
function reasonWords(programId: string, reason: InstructionError, idls: Idls): string {
  const text = instructionErrorText(reason);
  if (typeof reason === 'string') return text;
  const words = idls.get(programId)?.errors.get(reason.Custom) ?? programErrorWords(programId, reason.Custom);
  return words === undefined ? text : `${words} (${text})`;
}

/** The outcome of a transaction; `ran` is false if it was refused before its first instruction. */
type Ending = { readonly err: TransactionError | null; readonly ran: boolean };

/** Returns how a call of the instruction at an index ended. */
function callStatus(call: Call, index: number, { err, ran }: Ending): TraceStatus {
  if (!ran) return 'notRun';
  const failed = failedIndex(err);
  if (failed === undefined || index < failed) return 'succeeded';
  if (index > failed) return 'notRun';
  if (call.path === String(index)) return 'failed';
  const end = call.logged?.end;
  if (end === 'success') return 'succeeded';
  return typeof end === 'object' ? 'failed' : 'unknown';
}

/** Returns the index of the instruction that failed. */
function failedIndex(err: TransactionError | null): number | undefined {
  return typeof err === 'object' && err !== null && 'InstructionError' in err
    ? err.InstructionError[0]
    : undefined;
}

/** IDLs by program. */
export type Idls = { readonly get: (program: string) => ProgramIdl | undefined };
/** IDLs, and the rest of their decoding budget. */
type Naming = { readonly idls: Idls; readonly budget: DecodeBudget };
type Named = Pick<TracedCall, 'program' | 'instruction' | 'namedBy' | 'info' | 'accounts'>;

/** Names a call and its parts by the IDL of its program, else as jsonParsed does. `keys` are all account keys of the transaction. */
function nameCall(
  { programId, instruction, height }: Call,
  keys: readonly string[],
  { idls, budget }: Naming,
): Named {
  const idl = idls.get(programId);
  const addresses = instruction.accounts.map((index) => keys[index] ?? '');
  const known = idl?.instructions.find(({ discriminator }) => startsWith(instruction.data, discriminator));
  if (idl !== undefined && known !== undefined)
    return {
      program: idl.name,
      instruction: known.name,
      namedBy: 'idl',
      info: asInfo(
        decodeArgs(known.args, instruction.data.subarray(known.discriminator.length), idl, budget),
      ),
      accounts: addresses.map((address, index) => ({ address, name: known.accounts[index] ?? null })),
    };
  const accounts = addresses.map((address) => ({ address, name: null }));
  const byLedger = parseByLedger(programId, instruction, keys, height);
  const program = idl?.name ?? byLedger?.program ?? programName(programId) ?? null;
  const { instruction: name = null, info = null } = byLedger?.parts ?? {};
  const namedBy = byLedger?.parts === undefined ? null : 'parser';
  return { program, instruction: name, namedBy, info: asInfo(info), accounts };
}

type ByLedger = {
  readonly program: string;
  readonly parts: { readonly instruction: string | null; readonly info: unknown } | undefined;
};

function parseByLedger(
  programId: string,
  instruction: Instruction,
  keys: readonly string[],
  height: number,
): ByLedger | undefined {
  const parsed = parseInstruction(programId, instruction, keys, height);
  if (parsed === undefined) return nameUnparsed(programId, instruction.data);
  const { program, parsed: body } = parsed;
  if (typeof body === 'string') return { program, parts: { instruction: null, info: body } };
  return { program, parts: { instruction: body.type, info: 'info' in body ? body.info : null } };
}

/** Values include 64-bit integers, which the type of JSON lacks. */
function asInfo(value: unknown): TracedCall['info'] {
  return (value ?? null) as TracedCall['info'];
}

function startsWith(data: Uint8Array, start: Uint8Array): boolean {
  return data.length >= start.length && start.every((byte, index) => data[index] === byte);
}

type NamedParts = { readonly instruction: string; readonly info: JsonValue };
type UnparsedProgram = { readonly name: string; readonly read: (reader: ByteReader) => NamedParts };

/** Instructions of the compute budget program: a byte for the type, then the limit or price. */
const BUDGET_FORMS: readonly ((reader: ByteReader) => NamedParts)[] = [
  (reader) => reader.reject(),
  (reader) => ({ instruction: 'requestHeapFrame', info: { bytes: reader.u32() } }),
  (reader) => ({ instruction: 'setComputeUnitLimit', info: { units: reader.u32() } }),
  (reader) => ({ instruction: 'setComputeUnitPrice', info: { microLamports: reader.u64() } }),
  (reader) => ({ instruction: 'setLoadedAccountsDataSizeLimit', info: { bytes: reader.u32() } }),
];

const verify = (reader: ByteReader): NamedParts => ({
  instruction: 'verify',
  info: { signatures: reader.u8() },
});

/** Programs that nodes run but do not parse. */
const PROGRAMS: ReadonlyMap<string, UnparsedProgram> = new Map<string, UnparsedProgram>([
  [
    programs.COMPUTE_BUDGET_PROGRAM,
    { name: 'compute-budget', read: (reader) => reader.oneOf(reader.u8(), BUDGET_FORMS)(reader) },
  ],
  [
    programs.CONFIG_PROGRAM,
    {
      name: 'config',
      read: (reader) => ({
        instruction: 'store',
        info: { keys: readConfigKeys(reader), dataLength: reader.left },
      }),
    },
  ],
  [programs.ED25519_PROGRAM, { name: 'ed25519', read: verify }],
  [programs.SECP256K1_PROGRAM, { name: 'secp256k1', read: verify }],
  [programs.SECP256R1_PROGRAM, { name: 'secp256r1', read: verify }],
]);

/** Names an instruction of a program that every node has and none parses; undefined for any other program. */
export function nameUnparsed(
  programId: string,
  data: Uint8Array,
): { readonly program: string; readonly parts: NamedParts | undefined } | undefined {
  const program = PROGRAMS.get(programId);
  return program && { program: program.name, parts: decodeBytes(data, program.read) };
}
