import { open, rename, rm, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { secretBytes } from '../../core/keys/secret-bytes.ts';

/** Writes a file that only its owner can read: wholly or not at all, and synced to disk before it resolves. Replaces an existing file. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncDirectory(dirname(path));
}

/** Syncs the entries of a directory to disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Returns the bytes of a file; undefined if it does not exist. Any other failure is thrown. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads a small file into one buffer, which the caller wipes; undefined if it does not exist. A larger file gives `maxBytes` + 1 bytes,
 * which the caller can detect.
 */
export async function readSecretFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (file === undefined) return undefined;
  const bytes = secretBytes(maxBytes + 1);
  let length = 0;
  try {
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0) return bytes.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
  return undefined;
}
