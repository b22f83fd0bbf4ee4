import type { Json } from '../json.ts';
import type { LedgerModel } from '../model/ledger.ts';
import type { Callable } from '../model/method.ts';
import { type ParamPart, paramParts } from '../model/param-parts.ts';
import type { Case } from '../../runtime/contract-case.ts';
import { hasOneErrorForBoth } from '../model/schema.ts';
import { exactError, notRefused } from './expect.ts';
import { baseParams, withValueAt, sampleOf, valueAt } from './param-values.ts';

/** A value beyond a limit and the last one within it. */
type Edge = {
  readonly keyword: string;
  readonly limit: number;
  readonly within: Json;
  readonly beyond: Json;
  readonly value: number;
};

/** Every limit at n, which must not be refused, and one beyond, which must. */
export const limitCases = (method: Callable, model: LedgerModel): readonly Case[] => [
  ...paramParts(method, model).flatMap((part) =>
    edgesOf(part, method, model).flatMap((edge) => casesOf(part, edge, method, model)),
  ),
  ...spanCases(method, model),
];

const casesOf = (
  part: ParamPart,
  { keyword, limit, within, beyond, value }: Edge,
  method: Callable,
  model: LedgerModel,
): readonly Case[] => {
  const error = part.schema['x-errors']?.[keyword];
  if (typeof error !== 'string') return [];
  const context = { parameter: part.name, limit, value };
  const place = (placed: Json) => withValueAt(baseParams(method), part, placed, method, model.schemas);
  const since = part.schema['x-since'];
  const version = typeof since === 'object' ? since[keyword] : undefined;
  const common = {
    method: method.name,
    kind: 'limit' as const,
    ...(version !== undefined && { since: version }),
  };
  return [
    {
      ...common,
      name: `${part.name} at its ${keyword}`,
      params: place(within),
      expect: notRefused(error, context, model),
    },
    {
      ...common,
      name: `${part.name} beyond its ${keyword}`,
      params: place(beyond),
      expect: exactError(error, context, model),
    },
  ];
};

const edgesOf = (part: ParamPart, method: Callable, { schemas }: LedgerModel): readonly Edge[] => {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength, items } = part.schema;
  const present = valueAt(baseParams(method), part);
  const item =
    Array.isArray(present) && present.length > 0 ? present[0] : items ? sampleOf(items, schemas) : null;
  const list = (length: number): Json => Array.from({ length }, () => item ?? null);
  const text = (length: number): Json => (length > 0 ? '2'.padEnd(length, '1') : '');
  const edge = (
    keyword: string,
    limit: number | undefined,
    step: 1 | -1,
    make: (size: number) => Json,
    shown = limit,
  ): readonly Edge[] =>
    limit === undefined || limit + step < 0
      ? []
      : [
          {
            keyword,
            limit: shown ?? limit,
            within: make(limit),
            beyond: make(limit + step),
            value: limit + step,
          },
        ];
  return [
    ...edge('minimum', minimum, -1, Number, hasOneErrorForBoth(part.schema) ? maximum : minimum),
    ...edge('maximum', maximum, 1, Number),
    ...edge('minItems', minItems, -1, list),
    ...edge('maxItems', maxItems, 1, list),
    ...edge('minLength', minLength, -1, text),
    ...edge('maxLength', maxLength, 1, text),
  ];
};

const SPAN_START = 5;

const spanCases = (method: Callable, model: LedgerModel): readonly Case[] => {
  if (!method.span) return [];
  const { from, to, maximum, error } = method.span;
  const parts = paramParts(method, model);
  const find = (name: string) => parts.find((part) => part.name === name && part.hops.length === 0);
  const [low, high] = [find(from), find(to)];
  if (!low || !high) return [];
  const place = (span: number) =>
    withValueAt(
      withValueAt(baseParams(method), low, SPAN_START, method, model.schemas),
      high,
      SPAN_START + span,
      method,
      model.schemas,
    );
  const context = { parameter: to, limit: maximum, value: maximum + 1 };
  const common = { method: method.name, kind: 'limit' as const };
  return [
    {
      ...common,
      name: `${to} as far above ${from} as it may be`,
      params: place(maximum),
      expect: notRefused(error, context, model),
    },
    {
      ...common,
      name: `${to} too far above ${from}`,
      params: place(maximum + 1),
      expect: exactError(error, context, model),
    },
  ];
};
