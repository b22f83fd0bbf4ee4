/** The parsed lines of a JSONL text that arrives in parts. An unterminated last line is left out: the text was broken off. */
export async function* readJsonl(parts: AsyncIterable<string>): AsyncGenerator<unknown> {
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
}

/**
 * The records of a CSV text that arrives in parts (RFC 4180, with a header row): objects by column, without empty columns. An unterminated
 * last row is left out: the text was broken off.
 */
export async function* readCsv(
  parts: AsyncIterable<string>,
): AsyncGenerator<Readonly<Record<string, string>>> {
  let columns: readonly string[] | undefined;
  for await (const row of readRows(parts)) {
    if (columns === undefined) columns = row;
    else yield recordOf(columns, row);
  }
}

const recordOf = (columns: readonly string[], row: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    columns.map((column, index) => [column, row[index] ?? ''] as const).filter(([, field]) => field !== ''),
  );

async function* readRows(parts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let row: string[] = [];
  let field = '';
  let quoted = false;
  let afterQuote = false;
  for await (const part of parts) {
    for (const char of part) {
      if (quoted && char === '"') {
        quoted = false;
        afterQuote = true;
      } else if (quoted) field += char;
      else if (char === '"') {
        quoted = true;
        if (afterQuote) field += char;
        afterQuote = false;
      } else if (char === ',' || char === '\n') {
        afterQuote = false;
        row.push(field);
        field = '';
        if (char === '\n') {
          yield row;
          row = [];
        }
      } else if (char !== '\r') field += char;
    }
  }
}
