import { open, readFile } from 'node:fs/promises';
import type { AuditHead } from './audit-head.ts';

/** What a heads file holds: the heads, and the numbers of lines (from 1) that hold none. */
export type HeadsFile = { readonly heads: readonly AuditHead[]; readonly damagedLines: readonly number[] };

const ACCOUNT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Appends heads to a file, one line of JSON each, and syncs it to disk. The file is made with mode 0600. */
export async function appendHeads(path: string, heads: readonly AuditHead[]): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  try {
    await handle.appendFile(heads.map(printHead).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a heads file. One that is not there has no heads. */
export async function readHeads(path: string): Promise<HeadsFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  const lines = text.split('\n').map((line, at) => ({ number: at + 1, line }));
  const read = lines
    .filter(({ line }) => line !== '')
    .map(({ number, line }) => ({ number, head: parseHead(line) }));
  return {
    heads: read.flatMap(({ head }) => head ?? []),
    damagedLines: read.flatMap(({ number, head }) => (head === undefined ? [number] : [])),
  };
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
      ...{
        accountId: String(account),
        seq: Number(seq),
        hash: bytesOf(hash, 32),
        atMs: Date.parse(String(at)),
      },
      ...{ publicKey: bytesOf(public_key, 32), signature: bytesOf(signature, 64) },
    };
    const isOne = ACCOUNT.test(head.accountId) && Number.isSafeInteger(head.seq) && head.seq > 0;
    return isOne && Number.isFinite(head.atMs) ? head : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(hex: unknown, sizeBytes: number): Uint8Array {
  const bytes = Buffer.from(String(hex), 'hex');
  if (bytes.length !== sizeBytes) throw new SyntaxError('not hexadecimal');
  return bytes;
}
