import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a link to `<dataDir>/setup-link`, readable by its owner only, in place of an earlier one. */
export async function writeSetupLink(dataDir: string, link: string): Promise<void> {
  const path = join(dataDir, 'setup-link');
  const draft = `${path}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${link}\n`);
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
