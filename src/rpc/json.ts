/** The third argument of a JSON.parse reviver for a primitive value (ECMAScript JSON.parse source text access). */
type ReviverContext = { readonly source?: string };
type Reviver = (this: unknown, key: string, value: unknown, context: ReviverContext) => unknown;

const { parse, stringify, rawJSON } = JSON as unknown as {
  readonly parse: (text: string, reviver?: Reviver) => unknown;
  readonly stringify: (
    value: unknown,
    replacer: (key: string, value: unknown) => unknown,
  ) => string | undefined;
  readonly rawJSON: (text: string) => unknown;
};

const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON text and keeps integers exact: one that a double cannot hold (beyond ±(2^53 − 1)) becomes a bigint, every other
 * number stays a number. So does an integer beyond the range of a double (309 digits or more: Infinity): no ledger type holds
 * it, and converting it would cost more than linear time. Only text with a run of 16 or more digits pays for the reviver.
 *
 * @throws SyntaxError on text that is not JSON; RangeError on text nested so deep that it exhausts the stack.
 */
export function parseJson(text: string): unknown {
  return LONG_DIGITS.test(text) ? parse(text, reviveInteger) : parse(text);
}

function reviveInteger(this: unknown, _key: string, value: unknown, { source }: ReviverContext): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value) || Number.isSafeInteger(value)) return value;
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
}

/**
 * Serializes a value as JSON; a bigint becomes an exact integer literal. Undefined members are omitted.
 *
 * @throws TypeError on a value that has no JSON form (undefined, a function, a cycle).
 */
export function stringifyJson(value: unknown): string {
  const text = stringify(value, (_key, member) => (typeof member === 'bigint' ? integer(member) : member));
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} has no JSON form`);
  return text;
}

/** A number prints the same digits as long as it is exact, and three times as fast. */
function integer(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawJSON(String(value));
}
