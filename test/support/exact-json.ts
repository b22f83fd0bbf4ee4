/** What Node's JSON has and TypeScript's library does not know yet (ECMA-262, JSON.parse source text access). */
type SourceTextJson = {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};
const json: SourceTextJson = JSON as unknown as SourceTextJson;

const INTEGER = /^-?\d+$/;
/** A number that JSON.parse alone may not give as it stands. Before any number is a bracket, a colon, a comma, a space or nothing. */
const INEXACT = /(?:^|[[:,\s])-?(?:\d{16}|\d+[.eE])/;

/** Prints JSON; a bigint becomes an exact integer. */
export function printJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? json.rawJSON(String(member)) : member,
  );
}

/** Reads JSON exactly: an integer outside ±(2^53 − 1) becomes a bigint. */
export function parseJson(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source ?? '')
      ? BigInt(source ?? '')
      : value,
  );
}

/**
 * Reads JSON as `parseJson` does, except that an integer written with a fraction or an exponent (`5.0`, `1.8e19`)
 * becomes 0.5, which no integer schema accepts: typed clients refuse such a number, `JSON.parse` would hide it.
 */
export function parseStrictJson(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number') return value;
    if (!INTEGER.test(source ?? '')) return Number.isInteger(value) ? 0.5 : value;
    return Number.isSafeInteger(value) ? value : BigInt(source ?? '');
  });
}
