/** A value of a cell; absent values are empty cells. */
export type Cell = string | number | undefined;

/** Prints rows of CSV (RFC 4180) with line ends. Text that a spreadsheet would take for a formula gets an apostrophe. */
export function printCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(printCell).join(',')}\r\n`).join('');
}

function printCell(cell: Cell): string {
  const text = String(cell ?? '');
  const isFormula = /^[=+@\t\r-]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
