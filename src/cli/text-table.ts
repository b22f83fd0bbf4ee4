/** Columns by their heads, with the member or the text that they show of a row. A head that begins with `>` is right-aligned. */
export type Columns<R> = Readonly<Record<string, (keyof R & string) | ((row: R) => unknown)>>;

/** Prints rows for a terminal, with a line of heads. */
export function tableOf<R extends object>(columns: Columns<R>, rows: readonly R[]): string {
  const heads = Object.keys(columns).map((head) => head.replace('>', ''));
  const right = heads.filter((head) => Object.hasOwn(columns, `>${head}`));
  const cells = rows.map((row) =>
    Object.values(columns).map((shown) =>
      String((typeof shown === 'function' ? shown(row) : row[shown]) ?? ''),
    ),
  );
  return textTable(heads, cells, right);
}

/** Prints a page of a list, with the cursor of the next one if there are more entries. */
export function pageOf<R extends object>(
  columns: Columns<R>,
  rows: readonly R[],
  { ifEmpty, cursor }: { readonly ifEmpty: string; readonly cursor: string | undefined },
): string {
  const table = rows.length === 0 ? ifEmpty : tableOf(columns, rows);
  return cursor === undefined ? table : `${table}\nMore entries: --cursor ${cursor}\n`;
}

/** Prints rows for a terminal, in columns as wide as their widest cell. Columns named in `right` are right-aligned. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(head[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return `${lines.map(print).join('\n')}\n`;
}
