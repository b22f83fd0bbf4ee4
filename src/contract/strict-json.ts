/** JSON.parse source text access (ECMA-262), which TypeScript's library does not know yet. */
type SourceTextJson = {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
};

const INTEGER = /^-?\d+$/;
/** A number that JSON.parse alone may not give as it stands. Before any number is a bracket, a colon, a comma, a space or nothing. */
const INEXACT = /(?:^|[[:,\s])-?(?:\d{16}|\d+[.eE])/;

/**
 * Reads JSON exactly: an integer outside ±(2^53 − 1) becomes a bigint, and one written with a fraction or an exponent
 * (`5.0`, `1.8e19`) becomes 0.5, which no integer schema accepts: typed clients refuse such a number, `JSON.parse` would
 * hide it.
 */
export function parseStrictJson(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text);
  return (JSON as unknown as SourceTextJson).parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number') return value;
    if (!INTEGER.test(source ?? '')) return Number.isInteger(value) ? 0.5 : value;
    return Number.isSafeInteger(value) ? value : BigInt(source ?? '');
  });
}
