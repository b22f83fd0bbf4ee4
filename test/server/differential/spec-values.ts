import { base58 } from '@scure/base';
import fc from 'fast-check';
import { openrpcDocument } from '../../../src/gateway/ledger/openrpc-document.ts';
import { u64 } from '../../fuzz/arbitraries.ts';
import type { LedgerValues } from './still-ledger.ts';

export type Schema = {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly 'x-base58'?: number;
  readonly 'x-int'?: string;
  readonly 'x-lenient'?: unknown;
};

export type Param = { readonly name: string; readonly required?: boolean; readonly schema: Schema };
type Document = {
  readonly methods: readonly { readonly name: string; readonly params: readonly Param[] }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The specification as it is published. */
export const DOCUMENT = JSON.parse(openrpcDocument()) as Document;

/** Levels that nodes knew before 2.0, and what never was one. */
export const OLD_COMMITMENTS = ['recent', 'single', 'singleGossip', 'root', 'max'] as const;
const NO_COMMITMENTS: readonly unknown[] = [...OLD_COMMITMENTS, 'Confirmed', '', 5, null, {}, ['processed']];

const SOME_ITEMS = 4;
const randomBase58 = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => base58.encode(value));

/** Values of a parameter that its schema allows: of the ledger where it has such, and at the bounds of what is allowed. */
export function specValue(schema: Schema, values: LedgerValues, name = ''): fc.Arbitrary<unknown> {
  const { allOf, $ref = allOf?.[0]?.$ref, ...own } = schema;
  const referred = $ref === undefined ? {} : DOCUMENT.components.schemas[$ref.split('/').at(-1) ?? ''];
  const whole: Schema = { ...referred, ...own };
  if (whole.$ref !== undefined) return specValue(whole, values, name);
  if (whole['x-lenient'] !== undefined)
    return fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('processed', ...(whole.anyOf?.[0]?.enum ?? [])) },
      { weight: 1, arbitrary: fc.constantFrom(...NO_COMMITMENTS) },
    );
  if (whole.enum !== undefined) return fc.constantFrom(...whole.enum);
  if (whole.anyOf !== undefined) return anyOf(whole.anyOf, values, name);
  switch (whole.type) {
    case 'string':
      return textOf(whole, values, name);
    case 'integer':
      return integerOf(whole, values);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arrayOf(whole, values);
    case 'object':
      return objectOf(whole, values);
    default:
      throw new Error(`no values for ${JSON.stringify(whole)}`);
  }
}

/** A value of one of the branches; null one time in ten if it may be. */
function anyOf(branches: readonly Schema[], values: LedgerValues, name: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    ...branches.map((each) =>
      each.type === 'null'
        ? { weight: 1, arbitrary: fc.constant(null) }
        : { weight: 9, arbitrary: specValue(each, values, branches.length > 2 ? '' : name) },
    ),
  );
}

function textOf(
  { title, 'x-base58': bytes }: Schema,
  values: LedgerValues,
  name: string,
): fc.Arbitrary<string> {
  if (bytes === undefined)
    return fc.oneof(fc.constantFrom('', '1', '2', 'AQ==', '3Mc6vR'), fc.base64String({ maxLength: 12 }));
  if (title === 'Blockhash') return mostly(values.blockhashes, randomBase58(bytes));
  const any = mostly(bytes === 64 ? values.signatures : values.addresses, randomBase58(bytes));
  const fitting = values.named[name];
  return fitting === undefined ? any : mostly(fitting, any);
}

const mostly = <T>(known: readonly T[], other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: other });

function integerOf(schema: Schema, values: LedgerValues): fc.Arbitrary<unknown> {
  const { title, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (title === 'Slot' || title === 'MinContextSlot') return mostly(values.slots, u64);
  const bounds = [minimum, minimum + 1, maximum - 1, maximum].filter(Number.isSafeInteger);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, 300) }) },
    { weight: 1, arbitrary: fc.constantFrom(...bounds) },
    { weight: 1, arbitrary: schema['x-int'] === 'u64' && maximum > 2 ** 53 ? u64 : fc.constant(minimum) },
  );
}

function arrayOf({ items = {}, maxItems = SOME_ITEMS }: Schema, values: LedgerValues): fc.Arbitrary<unknown> {
  return fc.array(specValue(items, values), { maxLength: Math.min(maxItems, SOME_ITEMS) });
}

function objectOf({ properties = {}, required = [] }: Schema, values: LedgerValues): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => {
    return [name, specValue(schema, values, name)] as const;
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
}
