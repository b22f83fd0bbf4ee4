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

/** The position of a value in the bytes: from `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number };

/** A member of an object: its decoded name and the position of its value. */
export type Member = Span & { readonly name: string };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Up to this distance a loop finds a quote faster than `indexOf`. */
const SHORT_BYTES = 64;

/** Receives each member of an object, in order, duplicates included: its decoded name, and the position of its value. */
export type MemberSink = { readonly onMember: (name: string, start: number, end: number) => void };

/** Receives each object of an array, after its members, by its position. */
export type ObjectSink = MemberSink & { readonly onObject: (start: number, end: number) => void };

/**
 * Returns the members of the one object in the bytes, in order, duplicates included, without parsing their values. Undefined if
 * the bytes are not an object, are truncated, or continue after it. It finds boundaries and does not validate: bytes that
 * passed JSON.parse are scanned exactly, others may pass although they are not JSON.
 */
export function scanMembers(bytes: Buffer): readonly Member[] | undefined {
  const members: Member[] = [];
  const onMember = (name: string, start: number, end: number): void => {
    members.push({ name, start, end });
  };
  return scanObject(bytes, { onMember }) ? members : undefined;
}

/** Reports the members of the one object in the bytes. False where `scanMembers` returns undefined: discard the reported members. */
export function scanObject(bytes: Buffer, sink: MemberSink): boolean {
  const end = readObject(bytes, skipSpace(bytes, 0), sink);
  return end >= 0 && isEnd(bytes, end);
}

/** Reports the objects in the one array in the bytes. False as for `scanObject`, and if an item is not an object. */
export function scanObjects(bytes: Buffer, sink: ObjectSink): boolean {
  return readArray(bytes, (start) => {
    const end = readObject(bytes, start, sink);
    if (end >= 0) sink.onObject(start, end);
    return end;
  });
}

/** Returns the positions of the items of the one array in the bytes, in order. Undefined as for `scanMembers`. */
export function scanItems(bytes: Buffer): readonly Span[] | undefined {
  const items: Span[] = [];
  const isWhole = readArray(bytes, (start) => {
    const end = skipValue(bytes, start);
    if (end >= 0) items.push({ start, end });
    return end;
  });
  return isWhole ? items : undefined;
}

/**
 * The size of a JSON text: levels of arrays and objects, values (or a few more), and items if the whole is an array; 1 for an empty one.
 */
export type JsonExtent = { readonly depth: number; readonly values: number; readonly items: number };

/**
 * Measures JSON bytes in one pass, at a hundredth of the maximum cost of parsing them. It does not validate: bytes that are not JSON have
 * an extent too. It stops at text nested deeper than `maxDepth`: then `depth` is above that, and the rest is not counted.
 */
export function measureJson(bytes: Buffer, maxDepth: number): JsonExtent {
  let [depth, deepest, values, commas] = [0, 0, 1, 0];
  for (let position = 0; position < bytes.length && deepest <= maxDepth; position++) {
    const byte = bytes[position];
    if (byte === QUOTE) {
      const end = skipString(bytes, position);
      if (end < 0) break;
      position = end - 1;
    } else if (byte === COMMA) {
      values++;
      if (depth === 1) commas++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
  }
  return { depth: deepest, values, items: commas + 1 };
}

/** Reports the members of the object that starts at `at`. @returns its end; −1 if there is no object or it is truncated. */
function readObject(bytes: Buffer, at: number, sink: MemberSink): number {
  if (bytes[at] !== OPEN_BRACE) return -1;
  let position = skipSpace(bytes, at + 1);
  if (bytes[position] === CLOSE_BRACE) return position + 1;
  for (;;) {
    const nameEnd = bytes[position] === QUOTE ? skipString(bytes, position) : -1;
    const colon = nameEnd < 0 ? -1 : skipSpace(bytes, nameEnd);
    if (colon < 0 || bytes[colon] !== COLON) return -1;
    const start = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, start);
    const name = end < 0 ? undefined : readName(bytes, position, nameEnd);
    if (name === undefined) return -1;
    sink.onMember(name, start, end);
    position = skipSpace(bytes, end);
    if (bytes[position] === CLOSE_BRACE) return position + 1;
    if (bytes[position] !== COMMA) return -1;
    position = skipSpace(bytes, position + 1);
  }
}

/** True if the bytes are one array; `readItem` gets the start of each item and returns its end, or −1. */
function readArray(bytes: Buffer, readItem: (start: number) => number): boolean {
  let position = skipSpace(bytes, 0);
  if (bytes[position] !== OPEN_BRACKET) return false;
  position = skipSpace(bytes, position + 1);
  if (bytes[position] === CLOSE_BRACKET) return isEnd(bytes, position + 1);
  for (;;) {
    const end = readItem(position);
    if (end < 0) return false;
    position = skipSpace(bytes, end);
    if (bytes[position] === CLOSE_BRACKET) return isEnd(bytes, position + 1);
    if (bytes[position] !== COMMA) return false;
    position = skipSpace(bytes, position + 1);
  }
}

function isEnd(bytes: Buffer, at: number): boolean {
  return skipSpace(bytes, at) === bytes.length;
}

/** Returns the position of the first byte at or after `at` that is not white space between JSON tokens. */
export function skipSpace(bytes: Buffer, at: number): number {
  let position = at;
  for (;;) {
    const byte = bytes[position];
    if (byte === undefined || byte > 0x20) return position;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return position;
    position++;
  }
}

/** Returns the end of the value that starts at `at`; −1 if there is no value or it is truncated. */
function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(bytes, at);
  return skipScalar(bytes, at);
}

function skipContainer(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let position = at; position < bytes.length; position++) {
    const byte = bytes[position] ?? 0;
    if (byte === QUOTE) {
      const end = skipString(bytes, position);
      if (end < 0) return -1;
      position = end - 1;
    } else if (byte >= OPEN_BRACKET) {
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return position + 1;
    }
  }
  return -1;
}

/** Returns the end of the string whose opening quote is at `at`. */
function skipString(bytes: Buffer, at: number): number {
  const near = Math.min(at + SHORT_BYTES, bytes.length);
  for (let position = at + 1; position < near; position++) {
    const byte = bytes[position];
    if (byte === QUOTE) return position + 1;
    if (byte === BACKSLASH) return skipRest(bytes, position);
  }
  return skipRest(bytes, near);
}

/** Returns the end of a string that has not ended before `from`: a quote ends it unless an odd run of backslashes precedes the quote. */
function skipRest(bytes: Buffer, from: number): number {
  for (let quote = findQuote(bytes, from); quote >= 0; quote = findQuote(bytes, quote + 1)) {
    let backslash = quote;
    while (bytes[backslash - 1] === BACKSLASH) backslash--;
    if ((quote - backslash) % 2 === 0) return quote + 1;
  }
  return -1;
}

/** A quote is usually near, and a short loop costs less than a call of `indexOf`, which finds the distant ones. */
function findQuote(bytes: Buffer, at: number): number {
  const near = Math.min(at + SHORT_BYTES, bytes.length);
  for (let position = at; position < near; position++) if (bytes[position] === QUOTE) return position;
  return near === bytes.length ? -1 : bytes.indexOf(QUOTE, near);
}

function skipScalar(bytes: Buffer, at: number): number {
  let position = at;
  for (; position < bytes.length; position++) {
    const byte = bytes[position] ?? 0;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 0x20) break;
  }
  return position === at ? -1 : position;
}

/** Returns the JSON-RPC member name that begins with this letter: comparing with it costs less than decoding the name. */
function commonName(first: number | undefined): string {
  switch (first) {
    case 0x65:
      return 'error';
    case 0x69:
      return 'id';
    case 0x6a:
      return 'jsonrpc';
    case 0x6d:
      return 'method';
    case 0x70:
      return 'params';
    default:
      return 'result';
  }
}

function readName(bytes: Buffer, start: number, end: number): string | undefined {
  const common = commonName(bytes[start + 1]);
  if (isText(bytes, start + 1, end - 1, common)) return common;
  const name = bytes.toString('utf8', start + 1, end - 1);
  if (!name.includes('\\')) return name;
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    return undefined;
  }
}

/** True if the bytes from `start` to `end` are this ASCII text; false for any other text. */
export function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (bytes[start + index] !== code || code > 0x7f) return false;
  }
  return true;
}
