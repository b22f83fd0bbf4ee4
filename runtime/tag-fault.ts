import { describe } from './describe-value.ts';

/** Returns the name that selects the form of a tagged union: the only member of an object. */
export const tagOf = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [name, ...more] = Object.keys(value);
  return more.length === 0 ? name : undefined;
};

type TagFault = { readonly error: string; readonly facts: Readonly<Record<string, unknown>> };

/** Returns the fault of a value that matches no form of a tagged union with these names, in serde's words. */
export const tagFault = (value: unknown, tags: readonly string[]): TagFault => {
  const tag = typeof value === 'string' ? value : tagOf(value);
  if (tag !== undefined)
    return tags.includes(tag) ? wrongForm(value, tag) : { error: 'unknownVariant', facts: { value: tag } };
  const got = describe(value);
  return got === 'map'
    ? { error: 'invalidValue', facts: { got, expected: 'map with a single key' } }
    : wrongType(got, 'string or map');
};

/** A name that needs a value stands alone, or one that must stand alone has a value. */
const wrongForm = (value: unknown, tag: string): TagFault =>
  typeof value === 'string'
    ? wrongType('unit variant', 'newtype variant')
    : wrongType(describe((value as Readonly<Record<string, unknown>>)[tag]), 'unit');

const wrongType = (got: string, expected: string): TagFault => ({
  error: 'invalidType',
  facts: { got, expected },
});
