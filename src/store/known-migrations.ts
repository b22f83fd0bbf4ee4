import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The journal of a folder with migrations, as drizzle-kit writes it. */
export type MigrationJournal = {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
};

/** The tables have migrations that this version does not know, so it must not write to them. */
export class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';

  constructor() {
    super(
      'its tables were migrated by another version of Keyslot, most likely a newer one. Nothing was changed: start that version or a newer one, or restore a backup that this version made (docs/operate.md, "Upgrade")',
    );
  }
}

/** Reads the journal of a folder with migrations. */
export async function readJournal(folder: string): Promise<MigrationJournal> {
  return JSON.parse(await readFile(join(folder, 'meta', '_journal.json'), 'utf8')) as MigrationJournal;
}

/** Compares the instants of migrations that tables have, in order, with those of a folder: `older` tables lack the last ones. */
export async function compareMigrations(
  applied: readonly number[],
  folder: string,
): Promise<'same' | 'older' | 'unknown'> {
  const { entries } = await readJournal(folder);
  if (applied.length > entries.length || applied.some((when, at) => entries[at]?.when !== when))
    return 'unknown';
  return applied.length === entries.length ? 'same' : 'older';
}
