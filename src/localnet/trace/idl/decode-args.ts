import { encodeBase64 } from '../../bytes/base58.ts';
import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { JsonValue } from '../../encode/parsed-account/parsed-state.ts';
import type { IdlField, IdlType, ProgramIdl } from './program-idl.ts';
import { fieldsOf, listOf, membersOf } from './read-idl.ts';

const MAX_DEPTH = 32;

/** The rest of the decoding budget of a trace: an IDL can nest types and names that grow without taking a byte. */
export type DecodeBudget = { values: number; characters: number };

export const newBudget = (): DecodeBudget => ({ values: 10_000, characters: 65_536 });

type Decoder = {
  readonly reader: ByteReader;
  readonly types: ProgramIdl['types'];
  readonly budget: DecodeBudget;
};

/**
 * Decodes the arguments of an instruction (borsh) behind its discriminator; undefined if the bytes do not match the types, or one of them is
 * not known. Integers keep all digits, bytes are in base-64, addresses in base-58; a variant with fields is an object of one member.
 */
export function decodeArgs(
  args: readonly IdlField[],
  bytes: Uint8Array,
  { types }: Pick<ProgramIdl, 'types'>,
  budget = newBudget(),
): { readonly [name: string]: JsonValue } | undefined {
  return decodeBytes(bytes, (reader) => structOf({ reader, types, budget }, args, 0));
}

function structOf(
  decoder: Decoder,
  fields: readonly IdlField[],
  depth: number,
): { [name: string]: JsonValue } {
  return Object.fromEntries(
    fields.map(({ name, type }) => [spell(decoder, name), readValue(decoder, type, depth)]),
  );
}

/** Each occurrence of a name counts. */
function spell({ reader, budget }: Decoder, name: string): string {
  budget.characters -= name.length;
  return budget.characters < 0 ? reader.reject() : name;
}

function readValue(decoder: Decoder, type: IdlType, depth: number): JsonValue {
  const { reader, budget } = decoder;
  budget.values -= 1;
  if (budget.values < 0 || depth > MAX_DEPTH) return reader.reject();
  if (typeof type === 'string') return PRIMITIVES.get(type)?.(reader) ?? reader.reject();
  const form = membersOf(type);
  const next = (inner: IdlType) => (): JsonValue => readValue(decoder, inner, depth + 1);
  if ('option' in form) return reader.option(next(form.option));
  if ('coption' in form) return reader.oneOf(reader.u32(), [() => null, next(form.coption)])();
  if ('vec' in form) return form.vec === 'u8' ? bytesOf(reader) : reader.list(reader.u32(), next(form.vec));
  if ('array' in form && Array.isArray(form.array)) {
    const [inner, count] = form.array;
    if (typeof count !== 'number') return reader.reject();
    return inner === 'u8' ? encodeBase64(reader.bytes(count)) : reader.list(count, next(inner));
  }
  if ('defined' in form) return definedOf(decoder, form.defined, depth + 1);
  return reader.reject();
}

/** Since 0.30 the name is in an object. */
function definedOf(decoder: Decoder, defined: unknown, depth: number): JsonValue {
  const name = typeof defined === 'string' ? defined : membersOf(defined).name;
  const definition = membersOf(decoder.types.get(String(name)));
  if (definition.kind === 'struct') return partsOf(decoder, definition.fields, depth) ?? {};
  if (definition.kind === 'type') return readValue(decoder, definition.alias, depth);
  if (definition.kind !== 'enum') return decoder.reader.reject();
  const variant = decoder.reader.oneOf(decoder.reader.u8(), listOf(definition.variants));
  const variantName = spell(decoder, String(variant.name));
  const parts = partsOf(decoder, variant.fields, depth);
  return parts === undefined ? variantName : { [variantName]: parts };
}

/** Named fields become an object, unnamed ones a list; undefined: no fields. */
function partsOf(decoder: Decoder, fields: unknown, depth: number): JsonValue | undefined {
  if (!Array.isArray(fields) || fields.length === 0) return undefined;
  const isNamed = typeof fields[0] === 'object' && fields[0] !== null && 'name' in fields[0];
  return isNamed
    ? structOf(decoder, fieldsOf(fields), depth)
    : fields.map((type) => readValue(decoder, type, depth));
}

function bytesOf(reader: ByteReader): string {
  return encodeBase64(reader.bytes(reader.length(reader.u32())));
}

function signed(bits: number, read: (reader: ByteReader) => number | bigint) {
  return (reader: ByteReader) => BigInt.asIntN(bits, BigInt(read(reader)));
}

const PRIMITIVES: ReadonlyMap<string, (reader: ByteReader) => JsonValue> = new Map<
  string,
  (reader: ByteReader) => JsonValue
>([
  ['bool', (reader) => reader.bool()],
  ['u8', (reader) => reader.u8()],
  ['i8', signed(8, (reader) => reader.u8())],
  ['u16', (reader) => reader.u16()],
  ['i16', (reader) => reader.i16()],
  ['u32', (reader) => reader.u32()],
  ['i32', signed(32, (reader) => reader.u32())],
  ['u64', (reader) => reader.u64()],
  ['i64', (reader) => reader.i64()],
  ['u128', (reader) => reader.u128()],
  ['i128', signed(128, (reader) => reader.u128())],
  ['f64', (reader) => reader.finiteF64()],
  ['string', (reader) => reader.shortText()],
  ['bytes', bytesOf],
  ['pubkey', (reader) => reader.address()],
  ['publicKey', (reader) => reader.address()],
]);
