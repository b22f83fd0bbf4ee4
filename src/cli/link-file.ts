import { open, rm } from 'node:fs/promises';
import { serviceError } from '../base/service-error.ts';

/** For its owner only. */
const PRIVATE = 0o600;

/**
 * Writes the link of a result to a new file that only its owner can read. The file is created before the link is asked for: a link
 * that cannot be written is not made.
 *
 * @returns the result of `ask`.
 * @throws ServiceError `invalidCommand` if the file exists or cannot be created, and what `ask` throws; there is no file then.
 */
export async function withLinkFile(path: string, ask: () => Promise<unknown>): Promise<unknown> {
  const handle = await open(path, 'wx', PRIVATE).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('invalidCommand', { reason: `--file must be a file that can be created: ${reason}` });
  });
  try {
    const result = await ask();
    await handle.chmod(PRIVATE);
    await handle.writeFile(`${linkOf(result)}\n`);
    return result;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function linkOf(result: unknown): string {
  if (typeof result === 'object' && result !== null && 'link' in result) return String(result.link);
  throw new TypeError('the result has no link');
}
