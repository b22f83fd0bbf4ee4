import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { AuditHead } from './audit-head.ts';

/** A line of a heads file, by its number from 1, and the head that it holds; undefined if it is damaged. */
export type HeadLine = { readonly number: number; readonly head: AuditHead | undefined };

/** Prefix of lines that state records of destroyed keys (see src/account/signers). */
export const TOMBSTONE_LINE = '{"tombstones":';

const ACCOUNT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Appends heads to a file, one line of JSON each, and syncs it to disk. The file is created with mode 0600. If that fails, on a full disk
 * for example, the file is restored: half a line would look like damage.
 */
export async function appendHeads(path: string, heads: readonly AuditHead[]): Promise<void> {
  await appendLines(path, heads.map(printHead).join(''));
}

/** Appends whole lines to a file of heads and syncs it to disk. Ends a line that a crash left torn first. */
export async function appendLines(path: string, lines: string): Promise<void> {
  const isTorn = !(await endsInLine(path));
  const handle = await open(path, 'a', 0o600);
  const { size } = await handle.stat();
  try {
    await handle.appendFile(`${isTorn ? '\n' : ''}${lines}`);
    await handle.sync();
  } catch (error) {
    // An append-only file keeps the half line.
    await handle.truncate(size).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/** True also for a file that does not exist or is write-only. */
async function endsInLine(path: string): Promise<boolean> {
  const isFile = await stat(path).then((entry) => entry.isFile() && entry.size > 0, ignore);
  const handle = isFile === true ? await open(path, 'r').catch(ignore) : undefined;
  if (handle === undefined) return true;
  try {
    const last = Buffer.alloc(1);
    await handle.read(last, 0, 1, (await handle.stat()).size - 1);
    return last.toString() === '\n';
  } finally {
    await handle.close();
  }
}

const ignore = (): undefined => undefined;

/** Reads the audit heads of a heads file, which may be larger than memory. A file that does not exist has none. */
export async function* readHeads(path: string): AsyncGenerator<HeadLine> {
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    if (line !== '' && !line.startsWith(TOMBSTONE_LINE)) yield { number, head: parseHead(line) };
  }
}

/** Reads the lines of a file; none if it is missing or not a file. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const isFile = await stat(path).then((entry) => entry.isFile(), ignore);
  if (isFile !== true) return;
  const file = createReadStream(path);
  try {
    yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
  } finally {
    file.destroy();
  }
}

function printHead({ accountId, seq, hash, atMs, publicKey, signature }: AuditHead): string {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const members = { account: accountId, seq, hash: hex(hash), at: new Date(atMs).toISOString() };
  return `${JSON.stringify({ ...members, public_key: hex(publicKey), signature: hex(signature) })}\n`;
}

function parseHead(line: string): AuditHead | undefined {
  try {
    const { account, seq, hash, at, public_key, signature } = JSON.parse(line) as Record<string, unknown>;
    const head = {
      accountId: String(account),
      seq: Number(seq),
      hash: bytesOf(hash, 32),
      atMs: Date.parse(String(at)),
      publicKey: bytesOf(public_key, 32),
      signature: bytesOf(signature, 64),
    };
    const isOne = ACCOUNT.test(head.accountId) && Number.isSafeInteger(head.seq) && head.seq > 0;
    return isOne && Number.isFinite(head.atMs) ? head : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes exactly this many bytes from hex. @throws SyntaxError for anything else. */
export function bytesOf(hex: unknown, sizeBytes: number): Uint8Array {
  const bytes = Buffer.from(String(hex), 'hex');
  if (bytes.length !== sizeBytes) throw new SyntaxError('not hexadecimal');
  return bytes;
}
