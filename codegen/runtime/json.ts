type Reviver = (key: string, value: unknown, context: { readonly source?: string } | undefined) => unknown;
type ExactJson = { readonly parse: (text: string, reviver: Reviver) => unknown };

const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON. Integers that a number does not hold exactly come back as bigint, everything else as JSON.parse has it.
 * Throws SyntaxError on text that is not JSON, and TypeError where the engine cannot tell such integers (it lacks
 * JSON.parse source text access).
 */
export const parseJson = (text: string): unknown =>
  LONG_DIGITS.test(text) ? (JSON as unknown as ExactJson).parse(text, reviveInteger) : JSON.parse(text);

const reviveInteger: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (context?.source === undefined)
    throw new TypeError('this engine cannot read integers beyond 2^53 from JSON');
  return INTEGER.test(context.source) ? BigInt(context.source) : value;
};

/** Prints JSON with bigints as integers. Members that are undefined are left out. */
export const printJson = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => printJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${printJson(member)}`).join(',')}}`;
};
