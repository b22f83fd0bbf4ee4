import fc from 'fast-check';

/** A schema of the wallet service's document. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
};

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Most numbers are small: to make what is asked for takes time. */
const SMALL = 12;
const WRONG: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 10_001, 2 ** 31, 2 ** 53, 1e300, '', ' ', 'é', '\u0000', '\ud800', '💥'],
  ...['x'.repeat(101), 'x'.repeat(40_000), [], [[]], {}, { a: 1 }, '__proto__', 'constructor', '12', '1e3'],
];

/** Values that a schema allows, mostly, with a value of another kind in some places. */
export function valuesOf(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const { $ref, ...own } = schema;
  const referred = $ref === undefined ? {} : (schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const right = rightValues({ ...referred, ...own }, schemas);
  return fc.oneof({ weight: 14, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...WRONG) });
}

function rightValues(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  switch (schema.type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
    case 'number':
      return numbersOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, schemas), { maxLength: 4 });
    case 'object':
      return objectsOf(schema, schemas);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textsOf({ examples = [], minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<unknown> {
  const any = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
  const bounds = [maxLength, maxLength + 1].map((length) => 'y'.repeat(length));
  return fc.oneof(
    { weight: 4, arbitrary: examples.length > 0 ? fc.constantFrom(...examples) : any },
    { weight: 3, arbitrary: any },
    { weight: 1, arbitrary: fc.constantFrom('', ...bounds) },
    { weight: 1, arbitrary: fc.base64String({ maxLength: 80 }) },
  );
}

function numbersOf({ minimum = 0, maximum = 2 ** 53 }: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + SMALL) }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum - 1, maximum + 1, 2 ** 31 - 1, 2 ** 31) },
  );
}

function objectsOf({ properties = {}, required = [] }: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(
    ([name, schema]) => [name, valuesOf(schema, schemas)] as const,
  );
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  const more = fc.dictionary(
    fc.constantFrom('mine', 'Custody', '__proto__', ''),
    fc.jsonValue({ maxDepth: 1 }),
    {
      maxKeys: 1,
    },
  );
  const lacking = known.map((whole) => Object.fromEntries(Object.entries(whole).slice(1)));
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, more).map(([whole, other]) => ({ ...whole, ...other })) },
    { weight: 1, arbitrary: lacking },
  );
}
