import { createHash } from 'node:crypto';
import type { ProgramIdl as GivenIdl } from '../../../../generated/localnet/types.ts';
import { serviceError } from '../../../core/service-error.ts';
import { stringifyJson } from '../../../core/rpc/json.ts';
import type { IdlField, IdlInstruction, ProgramIdl } from './program-idl.ts';

const MAX_BYTES = 262_144;
/** Maximum length of the name of an instruction or an account. */
const MAX_NAME = 256;
const LEGACY_DISCRIMINATOR_BYTES = 8;

/**
 * Reads the IDL of a program, in Anchor's format of 0.30 and later or the previous one. Unreadable parts are left out.
 *
 * @throws ServiceError invalidParam: it is too large, or a name in it too long.
 */
export function readIdl(given: GivenIdl): ProgramIdl {
  const size = Buffer.byteLength(stringifyJson(given));
  if (size > MAX_BYTES)
    throw serviceError('invalidParam', {
      reason: `the IDL has ${size} bytes of JSON, the limit is ${MAX_BYTES}`,
    });
  const idl = given as unknown as Members;
  return {
    name: textOf(membersOf(idl.metadata).name) ?? textOf(idl.name) ?? null,
    instructions: given.instructions
      .map((each) => readInstruction(each as unknown as Members))
      .toSorted((one, other) => other.discriminator.length - one.discriminator.length),
    types: new Map(
      listOf(idl.types).flatMap((each) => {
        const { name, type } = each;
        return typeof name === 'string' ? [[name, type] as const] : [];
      }),
    ),
    errors: new Map(listOf(idl.errors).flatMap(readError)),
  };
}

type Members = Readonly<Record<string, unknown>>;

function readInstruction(instruction: Members): IdlInstruction {
  const name = nameOf(instruction);
  const { discriminator } = instruction;
  return {
    name,
    discriminator: Array.isArray(discriminator)
      ? Uint8Array.from(discriminator, Number)
      : legacyDiscriminator(name),
    accounts: accountNames(instruction.accounts, ''),
    args: fieldsOf(instruction.args),
  };
}

/** Anchor before 0.30 does not write it: it is the hash of the name in Rust. */
function legacyDiscriminator(name: string): Uint8Array {
  const snake = name.replace(/([A-Z])/g, '_$1').toLowerCase();
  return createHash('sha256').update(`global:${snake}`).digest().subarray(0, LEGACY_DISCRIMINATOR_BYTES);
}

/** Accounts may be in groups, which in practice do not nest; beyond a few levels they are left out. */
function accountNames(accounts: unknown, prefix: string, depth = 0): readonly string[] {
  if (depth > 4) return [];
  return listOf(accounts).flatMap((each) => {
    const name = `${prefix}${nameOf(each)}`;
    return each.accounts === undefined ? [name] : accountNames(each.accounts, `${name}.`, depth + 1);
  });
}

/** Returns named fields. A definition is read once, whatever the number of its values. */
export function fieldsOf(fields: unknown): readonly IdlField[] {
  return once(FIELDS, fields, () =>
    objectsIn(fields).map((field) => ({ name: textOf(field.name) ?? '', type: field.type })),
  );
}

function readError(error: Members): readonly (readonly [number, string])[] {
  const { code, name, msg } = error;
  const words = textOf(msg) ?? textOf(name);
  return Number.isInteger(Number(code)) && words !== undefined ? [[Number(code), words]] : [];
}

/** Returns the objects of a list; anything else is left out. */
export function listOf(value: unknown): readonly Members[] {
  return once(LISTS, value, () => objectsIn(value));
}

const FIELDS = new WeakMap<object, readonly IdlField[]>();
const LISTS = new WeakMap<object, readonly Members[]>();

function once<T>(
  known: WeakMap<object, readonly T[]>,
  value: unknown,
  read: () => readonly T[],
): readonly T[] {
  if (!Array.isArray(value)) return [];
  const items = known.get(value) ?? read();
  known.set(value, items);
  return items;
}

function objectsIn(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
}

/** Returns the members of an object; none for any other value. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** @throws ServiceError invalidParam: too long for a name that a trace repeats. */
function nameOf({ name }: Members): string {
  const text = textOf(name) ?? '';
  if (text.length > MAX_NAME)
    throw serviceError('invalidParam', {
      reason: `a name in the IDL has ${text.length} characters, the limit is ${MAX_NAME}`,
    });
  return text;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
