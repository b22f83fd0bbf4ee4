import type { TransactionError } from '../../../generated/ledger/types.ts';
import {
  BPF_LOADER,
  COMPUTE_BUDGET_PROGRAM,
  ED25519_PROGRAM,
  LOADER_DEPRECATED,
  LOADER_V4,
  SECP256K1_PROGRAM,
  SYSTEM_PROGRAM,
  UPGRADEABLE_LOADER,
  VOTE_PROGRAM,
} from '../addresses/program-ids.ts';
import type { Instruction, Message, TransactionConfig } from '../../core/wire/message.ts';

/** The requested compute budget: compute units, the priority fee in lamports, and its price in micro-lamports per compute unit. */
export type ComputeBudget = {
  readonly unitLimit: bigint;
  readonly priorityFee: bigint;
  readonly unitPrice: bigint;
};
type Refusal = { readonly kind: 'error'; readonly error: TransactionError };
export type ComputeBudgetResult = { readonly kind: 'budget'; readonly budget: ComputeBudget } | Refusal;
export type RequestsResult = { readonly kind: 'requests'; readonly requests: Requests } | Refusal;

const MAX_UNIT_LIMIT = 1_400_000n;
const UNITS_PER_BUILTIN = 3_000n;
const UNITS_PER_INSTRUCTION = 200_000n;
const KIB = 1024;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const U64_MAX = 2n ** 64n - 1n;

/** Programs that are part of the runtime (crate solana-builtins-default-costs); they get a small default share. */
const BUILTINS: ReadonlySet<string> = new Set([
  VOTE_PROGRAM,
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  UPGRADEABLE_LOADER,
  LOADER_DEPRECATED,
  BPF_LOADER,
  LOADER_V4,
  SECP256K1_PROGRAM,
  ED25519_PROGRAM,
]);

type RequestName = 'heap' | 'unitLimit' | 'unitPrice' | 'loadedSize';
type Request = { readonly index: number; readonly value: bigint };
type Requests = { readonly [Name in RequestName]?: Request };

/** Borsh tags of the compute budget instructions, with the size of their argument. */
const REQUESTS: Readonly<Record<number, { readonly name: RequestName; readonly size: 4 | 8 }>> = {
  1: { name: 'heap', size: 4 },
  2: { name: 'unitLimit', size: 4 },
  3: { name: 'unitPrice', size: 8 },
  4: { name: 'loadedSize', size: 4 },
};

/**
 * Returns the compute budget instructions of a message unchanged. An unreadable or repeated one makes the transaction malformed: nodes
 * refuse it before any other check. In version 1 they request nothing.
 */
export function readRequests(message: Message): RequestsResult {
  const requests: { -readonly [Name in RequestName]?: Request } = {};
  if (message.version === 1) return { kind: 'requests', requests };
  for (const [index, instruction] of message.instructions.entries()) {
    if (programOf(message, instruction) !== COMPUTE_BUDGET_PROGRAM) continue;
    const request = readRequest(instruction.data);
    if (request === undefined) return invalidData(index);
    if (requests[request.name] !== undefined)
      return { kind: 'error', error: { DuplicateInstruction: index } };
    requests[request.name] = { index, value: request.value };
  }
  return { kind: 'requests', requests };
}

/** Returns the requested compute budget; with a value that cannot be granted the transaction does not land. */
export function readComputeBudget(message: Message): ComputeBudgetResult {
  if (message.config !== undefined) return { kind: 'budget', budget: budgetOf(message.config) };
  const read = readRequests(message);
  if (read.kind === 'error') return read;
  const { heap, unitLimit, unitPrice, loadedSize } = read.requests;
  if (heap !== undefined && !isHeapSize(heap.value)) return invalidData(heap.index);
  if (loadedSize?.value === 0n) return { kind: 'error', error: 'InvalidLoadedAccountsDataSizeLimit' };
  const granted = grantedUnits(unitLimit?.value ?? defaultUnitLimit(message));
  const price = unitPrice?.value ?? 0n;
  const fee = ceilDivide(granted * price, MICRO_LAMPORTS_PER_LAMPORT);
  const priorityFee = fee < U64_MAX ? fee : U64_MAX;
  return { kind: 'budget', budget: { unitLimit: granted, priorityFee, unitPrice: price } };
}

/** A version 1 message contains the budget itself, with the fee and no price; a limit that it does not set is 0. */
function budgetOf({ computeUnitLimit, priorityFee }: TransactionConfig): ComputeBudget {
  const [unitLimit, fee] = [grantedUnits(BigInt(computeUnitLimit ?? 0)), priorityFee ?? 0n];
  const unitPrice = unitLimit === 0n ? 0n : (fee * MICRO_LAMPORTS_PER_LAMPORT) / unitLimit;
  return { unitLimit, priorityFee: fee, unitPrice };
}

function grantedUnits(wanted: bigint): bigint {
  return wanted < MAX_UNIT_LIMIT ? wanted : MAX_UNIT_LIMIT;
}

function ceilDivide(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor;
}

function invalidData(index: number): Refusal {
  return { kind: 'error', error: { InstructionError: [index, 'InvalidInstructionData'] } };
}

function defaultUnitLimit(message: Message): bigint {
  const shares = message.instructions.map((instruction) =>
    BUILTINS.has(programOf(message, instruction)) ? UNITS_PER_BUILTIN : UNITS_PER_INSTRUCTION,
  );
  return shares.reduce((sum, share) => sum + share, 0n);
}

function readRequest(data: Uint8Array): { readonly name: RequestName; readonly value: bigint } | undefined {
  const request = REQUESTS[data[0] ?? 0];
  if (request === undefined || data.length < 1 + request.size) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const value = request.size === 8 ? view.getBigUint64(1, true) : BigInt(view.getUint32(1, true));
  return { name: request.name, value };
}

/** True when the runtime grants a heap of this size. */
export function isHeapSize(bytes: bigint): boolean {
  return bytes >= 32 * KIB && bytes <= 256 * KIB && bytes % BigInt(KIB) === 0n;
}

function programOf(message: Message, { programIdIndex }: Instruction): string {
  return message.staticKeys[programIdIndex] ?? '';
}
