import type { LedgerModel } from './ledger.ts';
import type { Callable, Method } from './method.ts';
import { resolve, type Schema, type Schemas } from './schema.ts';

/** A container on the way to a part, and the step from it; an item step is 0. */
export type Hop = { readonly container: Schema; readonly step: string | number };

/** A param, or something known inside one. */
export type ParamPart = {
  /** Its name in violations: `config.filters[0]`. */
  readonly name: string;
  readonly index: number;
  readonly hops: readonly Hop[];
  /** With references resolved. */
  readonly schema: Schema;
  readonly optional: boolean;
  /** True for a part of one of several alternative forms. */
  readonly inUnion: boolean;
};

/** Every param and every known member and item below, each alternative form too. */
export const paramParts = (
  method: Callable,
  { schemas }: Pick<LedgerModel, 'schemas'>,
): readonly ParamPart[] =>
  method.params.flatMap(({ name, schema, required }, index) =>
    below(
      { name, index, hops: [], schema: resolve(schema, schemas), optional: !required, inUnion: false },
      schemas,
    ),
  );

const below = (part: ParamPart, schemas: Schemas): readonly ParamPart[] => [
  part,
  ...(part.schema.anyOf ?? []).flatMap((branch) =>
    below({ ...part, schema: resolve(branch, schemas), optional: false, inUnion: true }, schemas),
  ),
  ...Object.entries(part.schema.properties ?? {}).flatMap(([member, schema]) =>
    below(
      inside(
        part,
        member,
        `${part.name}.${member}`,
        schema,
        !part.schema.required?.includes(member),
        schemas,
      ),
      schemas,
    ),
  ),
  ...(part.schema.items
    ? below(inside(part, 0, `${part.name}[0]`, part.schema.items, false, schemas), schemas)
    : []),
];

const inside = (
  part: ParamPart,
  step: string | number,
  name: string,
  schema: Schema,
  optional: boolean,
  schemas: Schemas,
): ParamPart => ({
  ...part,
  name,
  schema: resolve(schema, schemas),
  optional,
  hops: [...part.hops, { container: part.schema, step }],
});

/** A limit of a part, in words, with the error beyond it. */
export type Limit = { readonly name: string; readonly text: string; readonly error: string };

const WORDS = {
  maximum: 'at most {}',
  minimum: 'at least {}',
  maxItems: 'at most {} items',
  minItems: 'at least {} items',
  maxLength: 'at most {} characters',
  minLength: 'at least {} characters',
} as const;

const LIMIT_KEYWORDS = ['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength'] as const;

/** The maximum number of entries of a result, in words; undefined if unlimited. */
export const resultLimit = (
  { result }: Method,
  { schemas }: Pick<LedgerModel, 'schemas'>,
): string | undefined => {
  const whole = resolve(result.schema, schemas);
  const { maxItems } = resolve(whole.properties?.value ?? whole, schemas);
  return maxItems === undefined ? undefined : words('maxItems', maxItems);
};

const words = (keyword: keyof typeof WORDS, limit: number): string =>
  WORDS[keyword].replace('{}', limit.toLocaleString('en-US'));

/** The limits of a method's params. */
export const limitsOf = (method: Callable, model: Pick<LedgerModel, 'schemas'>): readonly Limit[] => [
  ...paramParts(method, model).flatMap(({ name, schema }) =>
    LIMIT_KEYWORDS.flatMap((keyword) => {
      const limit = schema[keyword];
      const error = String(schema['x-errors']?.[keyword] ?? '');
      return limit === undefined ? [] : [{ name, text: words(keyword, limit), error }];
    }),
  ),
  ...(method.span
    ? [
        {
          name: method.span.to,
          text: `at most ${method.span.maximum.toLocaleString('en-US')} above ${method.span.from}`,
          error: method.span.error,
        },
      ]
    : []),
];

/** The specific errors of a method, including those of its limits, without those that any params can cause. */
export const errorNamesOf = (method: Callable, model: Pick<LedgerModel, 'schemas'>): readonly string[] => [
  ...new Set([
    ...method.errors,
    ...Object.values(method.refusedIn),
    ...limitsOf(method, model).map(({ error }) => error),
  ]),
];
