import type { Json } from '../json.ts';
import type { LedgerModel } from '../model/ledger.ts';
import type { Callable } from '../model/method.ts';
import { type ParamPart, paramParts } from '../model/param-parts.ts';
import { resolve, type Schema, type Schemas } from '../model/schema.ts';
import { INT_BOUNDS } from '../../runtime/int-kinds.ts';
import type { Case } from '../../runtime/contract-case.ts';
import { JSON_VALUES } from './json-values.ts';
import { errorByCode, exactError } from './expect.ts';
import { baseParams, withValueAt, sampleOf } from './param-values.ts';

/** Every param and known member with each JSON type that it does not accept. */
export const wrongTypeCases = (method: Callable, model: LedgerModel): readonly Case[] =>
  parts(method, model).flatMap((part) => {
    const taken = takenTypes(part.schema, model.schemas);
    return JSON_VALUES.filter(([name]) => !taken.has(name) && !(name === 'null' && part.optional)).map(
      ([name, value]) => ({
        method: method.name,
        name: `${part.name} as ${name}`,
        kind: 'wrong-type' as const,
        params: withValueAt(baseParams(method), part, value, method, model.schemas),
        expect: withoutMessage(errorByCode(wrongTypeError(part), model)),
      }),
    );
  });

const wrongTypeError = ({ inUnion, schema }: ParamPart): string => {
  if (inUnion) return vocabularyError(schema) ?? 'noMatchingVariant';
  return schema.anyOf ? 'noMatchingVariant' : 'invalidType';
};

/** The special error of an enumeration for any other value; it wins inside a union. */
const vocabularyError = ({ 'x-errors': errors }: Schema): string | undefined =>
  typeof errors?.enum === 'string' ? errors.enum : undefined;

/** Integers just outside their kind, and invalid base-58 text. */
export const rangeCases = (method: Callable, model: LedgerModel): readonly Case[] =>
  parts(method, model).flatMap((part) => [
    ...outside(part.schema).map((value) => ({
      method: method.name,
      name: `${part.name} as ${value}`,
      kind: 'range' as const,
      params: withValueAt(baseParams(method), part, value, method, model.schemas),
      expect: withoutMessage(errorByCode(part.inUnion ? 'noMatchingVariant' : 'invalidValue', model)),
    })),
    ...base58Cases(part, method, model),
    ...vocabularyCases(part, method, model),
  ]);

/** Checked parts; the alternative forms of a union are tried through the union itself. */
const parts = (method: Callable, model: LedgerModel): readonly ParamPart[] => {
  const all = paramParts(method, model);
  return all.filter(
    (part, index) => all.findIndex(({ name }) => name === part.name) === index && !part.schema['x-lenient'],
  );
};

const takenTypes = (schema: Schema, schemas: Schemas): ReadonlySet<string> => {
  if (schema.anyOf)
    return new Set(schema.anyOf.flatMap((branch) => [...takenTypes(resolve(branch, schemas), schemas)]));
  if (schema['x-lenient']) return new Set(JSON_VALUES.map(([name]) => name));
  if (schema.enum) return new Set(['a string']);
  const names = {
    null: 'null',
    boolean: 'a boolean',
    string: 'a string',
    array: 'an array',
    object: 'an object',
    integer: 'an integer',
    number: 'a fraction',
  };
  if (schema.type === undefined) return new Set(JSON_VALUES.map(([name]) => name));
  return new Set([names[schema.type], ...(schema.type === 'number' ? ['an integer'] : [])]);
};

const outside = (schema: Schema): readonly Json[] => {
  if (schema['x-int'] === undefined) return [];
  const [low, high] = INT_BOUNDS[schema['x-int']];
  return [low - 1n, high + 1n].map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
};

const base58Cases = (part: ParamPart, method: Callable, model: LedgerModel): readonly Case[] => {
  const size = part.schema['x-base58'];
  if (size === undefined) return [];
  const own = part.schema['x-errors']?.['x-base58'] ?? (['invalidBase58', 'wrongSizeBase58'] as const);
  const [badAlphabet, wrongSize] = typeof own === 'string' ? [own, own] : own;
  const context = { parameter: part.name, limit: size };
  const make = (name: string, text: string, error: string, value?: number): Case => ({
    method: method.name,
    name: `${part.name} ${name}`,
    kind: 'range',
    params: withValueAt(baseParams(method), part, text, method, model.schemas),
    expect: exactError(error, { ...context, ...(value !== undefined && { value }) }, model),
  });
  return [
    make('outside the alphabet', '0'.padEnd(size, '1'), badAlphabet),
    make('of a byte too few', '1'.repeat(size - 1), wrongSize, size - 1),
    make('of a byte too many', '1'.repeat(size + 1), wrongSize, size + 1),
  ];
};

/** A word that an enumeration lacks, and objects without a required member. */
const vocabularyCases = (part: ParamPart, method: Callable, model: LedgerModel): readonly Case[] => {
  const { schema, inUnion, name } = part;
  const place = (value: Json) => withValueAt(baseParams(method), part, value, method, model.schemas);
  const common = { method: method.name, kind: 'range' as const };
  const expected = (error: string) =>
    withoutMessage(errorByCode(inUnion ? 'noMatchingVariant' : error, model));
  const sample = sampleOf(schema, model.schemas);
  const own = vocabularyError(schema);
  return [
    ...(schema.enum
      ? [
          {
            ...common,
            name: `${name} as a word of no meaning`,
            params: place('unheard-of'),
            expect: own === undefined ? expected('unknownVariant') : errorByCode(own, model),
          },
        ]
      : []),
    ...(schema.required ?? []).map((member) => ({
      ...common,
      name: `${name} without ${member}`,
      params: place(Object.fromEntries(Object.entries(sample ?? {}).filter(([key]) => key !== member))),
      expect: expected('missingField'),
    })),
  ];
};

const withoutMessage = (expectation: Case['expect']): Case['expect'] => {
  if (expectation.kind !== 'error') return expectation;
  const { message: _, ...rest } = expectation;
  return rest;
};
