import { open } from 'node:fs/promises';
import { secretBytes } from '../../keys/secret-bytes.ts';

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
