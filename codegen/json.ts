/** A value of a spec document. Integers outside ±(2^53 - 1) are bigint, so that nothing is rounded. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** True when the value is a mapping. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Freezes a tree in place and returns it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
};

/** Columns of a line, as the formatter has them. */
const LINE_WIDTH = 110;

type Layout = {
  /** Maximum columns of a line. */
  readonly width: number;
  /** The member whose members, or items, each get a line of any length. */
  readonly flat?: string;
};

/**
 * Prints JSON with exact integers; bigint members become JSON integers. Member order is kept. A value that fits on one line gets one.
 *
 * @param width columns of a line
 */
export const printJson = (value: unknown, width = LINE_WIDTH): string => print(value, '', 0, { width });

/** Prints an OpenAPI or OpenRPC document like `printJson`, with every example on a line of its own, of any length. */
export const printDocument = (document: unknown): string =>
  `${print(document, '', 0, { width: LINE_WIDTH, flat: 'examples' })}\n`;

/** `column` is the start of the value, after its name. */
const print = (value: unknown, indent: string, column: number, layout: Layout): string => {
  const line = printLine(value);
  // A comma may follow.
  if (column + line.length < layout.width) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return block(
      '[]',
      indent,
      value.map((item) => print(item, inner, inner.length, layout)),
    );
  }
  if (!isJsonObject(value)) return line;
  const members = membersOf(value).map(([key, item]) => {
    const name = `${JSON.stringify(key)}: `;
    const column = inner.length + name.length;
    return name + (key === layout.flat ? printFlat(item, inner) : print(item, inner, column, layout));
  });
  return block('{}', indent, members);
};

const printFlat = (value: unknown, indent: string): string => {
  if (Array.isArray(value)) return block('[]', indent, value.map(printLine));
  return isJsonObject(value) ? block('{}', indent, membersOf(value).map(printMember)) : printLine(value);
};

/** Lines between brackets. */
const block = (brackets: string, indent: string, lines: readonly string[]): string =>
  lines.length === 0
    ? brackets
    : `${brackets[0]}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${brackets[1]}`;

const printLine = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = membersOf(value).map(printMember);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

const printMember = ([key, item]: readonly [string, unknown]): string =>
  `${JSON.stringify(key)}: ${printLine(item)}`;

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined);
