type Reviver = (key: string, value: unknown, context: { readonly source?: string } | undefined) => unknown;
type ExactJson = { readonly parse: (text: string, reviver: Reviver) => unknown };

const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** Parses JSON and keeps integers exact: those that a number cannot hold become bigint. Throws SyntaxError on text that is not JSON. */
export const parseJson = (text: string): unknown => {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return hasSourceAccess() ? (JSON as unknown as ExactJson).parse(text, reviveInteger) : parseMarked(text);
};

/** True when the engine passes a reviver the text of a number (JSON.parse source text access; not in browsers before 2025). */
const hasSourceAccess = (): boolean => {
  let seen = false;
  (JSON as unknown as ExactJson).parse('1', (_key, value, context) => {
    seen = context?.source === '1';
    return value;
  });
  return seen;
};

const reviveInteger: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(context?.source ?? '')
    ? BigInt(context?.source ?? '')
    : value;

/** Numbers, and strings, so that digits inside them are skipped. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Without source access: integers beyond 2^53 go through JSON.parse as strings with a mark in front. */
const parseMarked = (text: string): unknown => {
  let mark = 'integer:';
  JSON.parse(text, (_key, value: unknown) => {
    while (typeof value === 'string' && value.startsWith(mark)) mark += ':';
    return value;
  });
  const marked = text.replace(TOKENS, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
};

/** Prints JSON with bigints as integers. Undefined members are left out. */
export const printJson = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => printJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${printJson(member)}`).join(',')}}`;
};
