import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { SourceFile } from '../../support/source-files.ts';

/** A fault that is put into the sources, and the test that is meant to catch it. */
export type Mutant = {
  readonly name: string;
  /** The harm for users. */
  readonly fault: string;
  /** The folder below which the text is replaced, such as `src/server/access`. */
  readonly in: string;
  /** Any white space in it stands for any other. */
  readonly from: string;
  readonly to: string;
  /** Path of a test without `.test.ts` and its tier. */
  readonly caught_by: string;
};

/** The mutants of mutants.yaml. */
export const MUTANTS = parse(
  readFileSync(new URL('mutants.yaml', import.meta.url), 'utf8'),
) as readonly Mutant[];

/**
 * Returns the file that a mutant changes, with its text after the change.
 *
 * @param root the tree; nothing is written there.
 * @throws Error that names the mutant, unless its text is found exactly once.
 */
export function applyMutant(mutant: Mutant, root: string): SourceFile {
  const wanted = new RegExp(mutant.from.trim().split(/\s+/).map(escapePattern).join('\\s+'), 'g');
  const found = readdirSync(join(root, mutant.in), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const count = [...text.matchAll(wanted)].length;
      return count === 0 ? [] : [{ file, text, count }];
    });
  const times = found.reduce((sum, { count }) => sum + count, 0);
  const [only] = found;
  if (only === undefined || times !== 1) {
    const places = found.map(({ file }) => `: ${file}`).join('');
    throw new Error(
      `mutant ${mutant.name}: expected its text once below ${mutant.in}, found it ${times} times${places}`,
    );
  }
  return { path: only.file.slice(join(root, '/').length), text: only.text.replace(wanted, () => mutant.to) };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
