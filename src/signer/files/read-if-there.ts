import { readFile } from 'node:fs/promises';

/** Returns the bytes of a file; undefined if it does not exist. Any other failure is thrown. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
