import { open } from 'node:fs/promises';
import { secretBytes } from '../../keys/secret-bytes.ts';

/**
 * The bytes of a small file, read into one buffer that the caller wipes; undefined if there is none. More than `maxBytes`
 * give `maxBytes` and one, so that the caller sees it.
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
