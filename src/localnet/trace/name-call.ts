import type { TracedCall } from '../../../generated/localnet/types.ts';
import { parseInstruction, programName } from '../encode/parsed-instruction/parse-instruction.ts';
import type { Instruction } from '../../wire/message.ts';
import type { Call } from './call-tree.ts';
import { type DecodeBudget, decodeArgs } from './idl/decode-args.ts';
import type { ProgramIdl } from './idl/program-idl.ts';
import { nameUnparsed } from './unparsed-programs.ts';

/** IDLs by program. */
export type Idls = { readonly get: (program: string) => ProgramIdl | undefined };
/** IDLs, and what may still be decoded by them. */
export type Naming = { readonly idls: Idls; readonly budget: DecodeBudget };
type Named = Pick<TracedCall, 'program' | 'instruction' | 'namedBy' | 'info' | 'accounts'>;

/** Names a call and its parts by the IDL of its program, else as jsonParsed does. `keys` are all account keys of the transaction. */
export function nameCall(
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

/** Integers of 64 bits are among the values, which the type of JSON does not have. */
function asInfo(value: unknown): TracedCall['info'] {
  return (value ?? null) as TracedCall['info'];
}

function startsWith(data: Uint8Array, start: Uint8Array): boolean {
  return data.length >= start.length && start.every((byte, index) => data[index] === byte);
}
