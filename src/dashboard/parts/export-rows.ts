import { type Cell, printCsv } from './csv.ts';
import type { FileSink } from './file-sink.ts';

/** A file format for lists. */
export type ExportFormat = 'csv' | 'jsonl';

type ExportOptions<P> = {
  readonly pages: AsyncIterable<P>;
  readonly rowsOf: (page: P) => readonly object[];
  /** The members of a row that CSV has, in order. */
  readonly head: readonly string[];
  readonly format: ExportFormat;
  readonly onRows: (written: number) => void;
};

/** Writes all rows of a list to a file, page by page, and completes it. If it fails or is stopped, no file is left. */
export async function exportRows<P>(file: FileSink, options: ExportOptions<P>): Promise<void> {
  const { pages, rowsOf, head, format, onRows } = options;
  let written = 0;
  try {
    if (format === 'csv') await file.write(printCsv([head]));
    for await (const page of pages) {
      const rows = rowsOf(page);
      await file.write(
        format === 'csv'
          ? printCsv(rows.map((row) => cellsOf(row, head)))
          : rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      );
      written += rows.length;
      onRows(written);
    }
  } catch (error) {
    await file.abort();
    throw error;
  }
  await file.close();
}

function cellsOf(row: object, head: readonly string[]): readonly Cell[] {
  const members = new Map<string, Cell>(Object.entries(row));
  return head.map((name) => members.get(name));
}

/** True for the browser's error when the member chooses no file, or work is stopped. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
