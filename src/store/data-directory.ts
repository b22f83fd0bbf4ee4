import { mkdir } from 'node:fs/promises';

/** Makes the data directory, readable by its owner only, where it does not exist. An existing one is left as it is. */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
}
