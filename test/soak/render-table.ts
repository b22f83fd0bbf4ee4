/** Prints rows as a table of text: the first column on the left, all others on the right or, of the columns `left`, on the left as well. */
export function renderTable(rows: readonly (readonly string[])[], left: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const pad = (cell: string, at: number): string => {
    const width = widths[at] ?? 0;
    return at === 0 || left.includes(at) ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
