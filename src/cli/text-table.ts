/** Rows of cells as lines for a terminal, in columns as wide as their widest cell. Those named in `right` are right-aligned. */
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
