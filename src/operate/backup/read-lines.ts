import { serviceError } from '../../core/service-error.ts';
import { decryptFile } from './age-file.ts';
import { type BackupHead, BACKUP_FORMAT, type BackupLine, type EndLine, LineCounter } from './backup-line.ts';

/** A line holds at most 500 rows, or half a megabyte of a file. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

/**
 * Reads a backup line by line, to its end.
 *
 * @throws ServiceError `copyRefused` naming the file, if it is not a backup in a known format, was altered, or is incomplete.
 */
export async function* readLines(path: string, identities: readonly string[]): AsyncGenerator<BackupLine> {
  const refuse = (reason: string): Error => serviceError('copyRefused', { where: `backup ${path}`, reason });
  const counter = new LineCounter();
  let head: BackupHead | undefined;
  let end: EndLine | undefined;
  for await (const text of splitLines(decryptFile(path, identities), refuse)) {
    const line = parse(text, refuse);
    if (end !== undefined) throw refuse('it has data after its end');
    if (head === undefined) {
      if (line.kind !== 'backup') throw refuse('it is an age file, but not a Keyslot backup');
      if (line.format !== BACKUP_FORMAT)
        throw refuse(
          `it has the format ${line.format} of Keyslot ${line.version}, and this version reads ${BACKUP_FORMAT}`,
        );
      head = line;
    }
    if (line.kind === 'end') end = line;
    counter.add(line);
    yield line;
  }
  if (end === undefined) throw refuse('it is incomplete: its end is missing');
  const { tables, files } = counter.counts();
  if (!isSame(tables, end.tables) || !isSame(files, end.files))
    throw refuse('it has less data than its end states');
}

async function* splitLines(
  bytes: AsyncIterable<Uint8Array>,
  refuse: (reason: string) => Error,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
      parts = [];
      sizeBytes = 0;
      from = at + 1;
    }
    sizeBytes += chunk.length - from;
    if (sizeBytes > MAX_LINE_BYTES) throw refuse(`it has a line of more than ${MAX_LINE_BYTES} bytes`);
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (sizeBytes > 0) throw refuse('its last line is cut off');
}

/** The recipient is no secret, so anyone can make a file that decrypts: its lines are checked. */
function parse(text: string, refuse: (reason: string) => Error): BackupLine {
  try {
    const line = JSON.parse(text) as Partial<BackupLine> | null;
    if (typeof line === 'object' && line !== null && typeof line.kind === 'string') return line as BackupLine;
  } catch {
    // Refused below.
  }
  throw refuse('it has an invalid line');
}

function isSame(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}
