import type { Schema } from '../model/schema.ts';
import type { Location } from './ledger/rule.ts';

export const LIMITS = ['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength'] as const;

/** A limit that a document states. */
export type Limit = { readonly value: number; readonly pointer: string };

/** A text of a document, and its location. */
export type Text = { readonly text: string | undefined; readonly pointer: string };

/** The limits of schemas, each with the location of its schema. */
export const limitsIn = (
  parts: readonly (Pick<Location, 'pointer'> & { readonly schema: Schema })[],
): readonly Limit[] =>
  parts.flatMap(({ pointer, schema }) =>
    LIMITS.flatMap((keyword) => schema[keyword] ?? []).map((value) => ({ value, pointer })),
  );

/** Smaller numbers may have another meaning. */
const TELLING = 10;

/** The limits that a text repeats, in any notation: 500000 or 500,000. */
export const repeatedIn = (text: string | undefined, limits: readonly Limit[]): readonly number[] => {
  const numbers = new Set(
    (text?.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(',', ''))),
  );
  return [...new Set(limits.map(({ value }) => value))].filter(
    (value) => value >= TELLING && numbers.has(value),
  );
};

/** Limits that an earlier place states too. */
export const statedTwice = (limits: readonly Limit[]): readonly (Limit & { readonly first: string })[] =>
  limits.flatMap((limit) => {
    const first = limits.find(({ value }) => value === limit.value && value >= TELLING);
    return first && first.pointer !== limit.pointer ? [{ ...limit, first: first.pointer }] : [];
  });
