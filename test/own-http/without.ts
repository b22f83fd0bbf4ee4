import { describe } from 'vitest';
import { ownHttp } from '../support/own-http.ts';

/** Registers the tests of other files, named by their path, with parts of Keyslot's own HTTP turned off. */
export function without(parts: readonly (keyof typeof ownHttp)[], files: readonly string[]): void {
  for (const part of parts) ownHttp[part] = false;
  describe.each(files)('%s', async (file) => {
    await import(new URL(`../${file}.test.ts`, import.meta.url).href);
  });
}
