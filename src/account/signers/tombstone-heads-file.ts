import { appendLines, bytesOf, readLines, TOMBSTONE_LINE } from '../audit/heads-file.ts';
import { isGenuine, type TombstoneHead } from './tombstone-head.ts';

/** The latest statement of each signer's record, by its key in hex. */
export type KnownRecords = ReadonlyMap<string, TombstoneHead>;

/** Appends statements to the file of heads, one line of JSON each, and syncs it to disk. */
export async function appendTombstoneHeads(path: string, heads: readonly TombstoneHead[]): Promise<void> {
  if (heads.length > 0) await appendLines(path, heads.map(print).join(''));
}

/**
 * Returns the statements of a file of heads about records of destroyed keys, since the signer with `ownKey` was last adopted. Ignores
 * unsigned lines; empty for a file that is missing or write-only.
 */
export async function readKnownRecords(path: string, ownKey: Uint8Array): Promise<KnownRecords> {
  const furthest = await scan(path, ownKey, () => true);
  // Verifying the last lines is enough, unless one of them is forged.
  return [...furthest.values()].every(isGenuine) ? furthest : scan(path, ownKey, isGenuine);
}

async function scan(
  path: string,
  ownKey: Uint8Array,
  isTaken: (head: TombstoneHead) => boolean,
): Promise<Map<string, TombstoneHead>> {
  const furthest = new Map<string, TombstoneHead>();
  for await (const line of linesOf(path)) {
    const head = line.startsWith(TOMBSTONE_LINE) ? parse(line) : undefined;
    if (head === undefined || !isTaken(head)) continue;
    const key = hex(head.publicKey);
    if (head.isAdoption && key === hex(ownKey) && isGenuine(head)) furthest.clear();
    if (head.count >= (furthest.get(key)?.count ?? 0)) furthest.set(key, head);
  }
  return furthest;
}

/** A file that is write-only here has none. */
async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(path);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EACCES') throw error;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function print({ count, hash, atMs, isAdoption, publicKey, signature }: TombstoneHead): string {
  const adopted = isAdoption ? { adopted: true } : {};
  const members = { tombstones: count, hash: hex(hash), at: new Date(atMs).toISOString(), ...adopted };
  return `${JSON.stringify({ ...members, public_key: hex(publicKey), signature: hex(signature) })}\n`;
}

function parse(line: string): TombstoneHead | undefined {
  try {
    const { tombstones, hash, at, adopted, public_key, signature } = JSON.parse(line) as Record<
      string,
      unknown
    >;
    const head = {
      ...{ count: Number(tombstones), hash: bytesOf(hash, 32), atMs: Date.parse(String(at)) },
      ...{ isAdoption: adopted === true, publicKey: bytesOf(public_key, 32) },
      signature: bytesOf(signature, 64),
    };
    return Number.isSafeInteger(head.count) && Number.isFinite(head.atMs) ? head : undefined;
  } catch {
    return undefined;
  }
}
