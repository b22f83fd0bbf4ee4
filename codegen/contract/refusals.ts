import { isJsonObject, type Json } from '../json.ts';
import type { LedgerModel } from '../model/ledger.ts';
import type { Callable } from '../model/method.ts';
import { type ParamPart, paramParts } from '../model/param-parts.ts';
import type { Case } from '../../runtime/contract-case.ts';
import { errorByCode, exactError } from './expect.ts';
import { baseParams, withValueAt, sampleOf } from './param-values.ts';

/** Options that exclude each other, and values that parse but are not served. */
export const conflictCases = (method: Callable, model: LedgerModel): readonly Case[] =>
  paramParts(method, model).flatMap((part) => {
    const { not, 'x-errors': errors } = part.schema;
    const error = errors?.not;
    if (!not || typeof error !== 'string') return [];
    const sample = sampleOf(part.schema, model.schemas);
    const batched = Object.fromEntries(Object.keys(not.properties ?? {}).map((name) => [name, true]));
    const values: readonly Json[] = not.enum ?? [{ ...(isJsonObject(sample) ? sample : {}), ...batched }];
    return values.map((value) => build(part, value, 'conflict', error, method, model));
  });

/** Commitments that a method refuses, and an unknown one, which passes. */
export const commitmentCases = (method: Callable, model: LedgerModel): readonly Case[] =>
  paramParts(method, model).flatMap((part) => {
    const lenient = part.schema['x-lenient'];
    if (!lenient) return [];
    return [
      ...Object.entries(lenient).map(([value, error]) =>
        build(part, value, 'commitment', error, method, model),
      ),
      {
        method: method.name,
        name: `${part.name} as a word that no node knows`,
        kind: 'commitment' as const,
        params: withValueAt(baseParams(method), part, 'unheard-of', method, model.schemas),
        expect: {
          kind: 'not-refused' as const,
          error: 'invalidType',
          code: model.errors.get('invalidType')?.jsonrpc.code ?? 0,
        },
      },
    ];
  });

/** Too few params, too many, and no array at all. */
export const arityCases = (method: Callable, model: LedgerModel): readonly Case[] => {
  const base = baseParams(method);
  const [minimum, limit] = [method.minParams, method.params.length];
  const common = { method: method.name, kind: 'arity' as const };
  const filled = [...base, ...Array.from({ length: limit + 1 - base.length }, () => null)];
  const tooMany = limit === 0 ? 'noParamsExpected' : 'tooManyParams';
  return [
    ...(minimum > 0
      ? [
          {
            ...common,
            name: 'no params',
            params: [],
            expect: exactError('tooFewParams', { limit: minimum, value: 0 }, model),
          },
          ...(minimum > 1
            ? [
                {
                  ...common,
                  name: 'one param too few',
                  params: base.slice(0, minimum - 1),
                  expect: exactError('tooFewParams', { limit: minimum, value: minimum - 1 }, model),
                },
              ]
            : []),
        ]
      : []),
    {
      ...common,
      name: 'one param too many',
      params: filled,
      expect: exactError(tooMany, { minimum, limit, value: limit + 1 }, model),
    },
    { ...common, name: 'params by name', params: {}, expect: exactError('paramsNotArray', {}, model) },
  ];
};

/** Names are case-sensitive. */
export const nameCases = (method: Callable, model: LedgerModel): readonly Case[] => {
  const names = new Set([
    method.name.charAt(0).toUpperCase() + method.name.slice(1),
    method.name.toLowerCase(),
    method.name.toUpperCase(),
  ]);
  names.delete(method.name);
  return [...names].map((name) => ({
    method: name,
    name: `the method as ${name}`,
    kind: 'name-case',
    params: baseParams(method),
    expect: errorByCode('methodNotFound', model),
  }));
};

const build = (
  part: ParamPart,
  value: Json,
  kind: Case['kind'],
  error: string,
  method: Callable,
  model: LedgerModel,
): Case => ({
  method: method.name,
  name: `${part.name} as ${typeof value === 'string' ? value : `${Object.keys(value ?? {}).join(' with ')}`}`,
  kind,
  params: withValueAt(baseParams(method), part, value, method, model.schemas),
  expect: exactError(error, { parameter: part.name, ...(typeof value === 'string' && { value }) }, model),
});
