/** A value of a spec document. Integers outside ±(2^53 - 1) are bigint, so that nothing is rounded. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Whether the value is a mapping. */
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

/** Prints JSON with exact integers; bigint members become JSON integers. Member order is kept. What fits on one line stands on one. */
export const printJson = (value: unknown): string => print(value, '', 0, false);

/** Prints an OpenAPI or OpenRPC document as `printJson` does, with every example on a line of its own, however long. */
export const printDocument = (document: unknown): string => `${print(document, '', 0, true)}\n`;

/** `column` is where the value begins, behind its name. */
const print = (value: unknown, indent: string, column: number, isDocument: boolean): string => {
  const line = printLine(value);
  // A comma may follow.
  if (column + line.length < LINE_WIDTH) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + print(item, inner, inner.length, isDocument));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (!isJsonObject(value)) return line;
  const members = membersOf(value).map(([key, item]) => {
    const name = `${inner}${JSON.stringify(key)}: `;
    return isDocument && key === 'examples'
      ? name + printExamples(item, inner)
      : name + print(item, inner, name.length, isDocument);
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
};

/** Lists and maps of examples. */
const printExamples = (examples: unknown, indent: string): string => {
  const lines = Array.isArray(examples)
    ? examples.map(printLine)
    : membersOf(Object(examples)).map(([key, item]) => `${JSON.stringify(key)}: ${printLine(item)}`);
  const [open, close] = Array.isArray(examples) ? '[]' : '{}';
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${close}`;
};

const printLine = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = membersOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${printLine(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined);
