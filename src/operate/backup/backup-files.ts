import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import type { FileLine } from './backup-line.ts';

/** The signer's files, in the order in which they are read: the record of destroyed keys is newer than the store's copy of it. */
export const SIGNER_FILES = ['tombstones', 'audit.key', 'master.key'] as const;

/** Every file that a backup may contain, by its path in the data directory. */
const FILES: ReadonlySet<string> = new Set([
  ...['audit-heads.jsonl', 'installation.key', 'dev.json'],
  ...SIGNER_FILES.map((name) => `signer/${name}`),
]);

/**
 * Appends a part of a file below a directory, for its owner alone.
 *
 * @throws ServiceError `copyRefused` for any other file: its name would be a path chosen by the author of the backup.
 */
export async function appendPart(directory: string, { name, data }: FileLine, where: string): Promise<void> {
  if (!FILES.has(name))
    throw serviceError('copyRefused', {
      where,
      reason: `it contains an unexpected file ${JSON.stringify(name)}`,
    });
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendFile(path, Buffer.from(data, 'base64'), { mode: 0o600, flush: true });
}
