import type { RowPage } from '../../store/copy/copy-client.ts';

// A backup is lines of JSON, encrypted as one age file: its head, files, the store's head, pages of rows, files of the signer, its end.

/** The format of backups that this version writes and reads. */
export const BACKUP_FORMAT = 1;

/** The first line. */
export type BackupHead = {
  readonly kind: 'backup';
  readonly format: number;
  /** Of Keyslot. */
  readonly version: string;
  /** ISO 8601. */
  readonly made_at: string;
};

/** A part of a file of the data directory; the next part of the same file is appended. */
export type FileLine = {
  readonly kind: 'file';
  readonly name: string;
  /** Base64. */
  readonly data: string;
};

/** Comes before the rows. */
export type StoreLine = {
  readonly kind: 'store';
  readonly store: 'pglite' | 'postgres';
  /** The instants of the migrations that its tables have had. */
  readonly migrations: readonly number[];
};

export type RowsLine = RowPage & { readonly kind: 'rows' };

/** The content of a backup: rows by table, and bytes by file. */
export type BackupCounts = {
  readonly tables: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, number>>;
};

/** The last line, without which a backup is incomplete. */
export type EndLine = BackupCounts & { readonly kind: 'end' };

export type BackupLine = BackupHead | FileLine | StoreLine | RowsLine | EndLine;

/** Prints a line with its line end. */
export function printLine(line: BackupLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Counts the rows and bytes of lines. */
export class LineCounter {
  readonly #tables: Record<string, number> = {};
  readonly #files: Record<string, number> = {};

  add(line: BackupLine): void {
    if (line.kind === 'rows') this.#tables[line.table] = (this.#tables[line.table] ?? 0) + line.rows.length;
    if (line.kind === 'file')
      this.#files[line.name] = (this.#files[line.name] ?? 0) + Buffer.byteLength(line.data, 'base64');
  }

  counts(): BackupCounts {
    return { tables: { ...this.#tables }, files: { ...this.#files } };
  }
}
