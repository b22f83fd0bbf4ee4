import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blocksOf } from '../support/document.ts';

/** The comment that a program of a document begins with: the name of its file. */
const NAME = /^(?:\/\/|\/\*\*\n \*) (\S+\.[cm]?js)$/m;

/** Writes the programs of docs/localnet.md into a folder, as a reader does. @returns the names of the files. */
export async function writeRecipes(folder: string): Promise<readonly string[]> {
  const recipes = blocksOf('docs/localnet.md', 'js').map((text) => ({
    name: NAME.exec(text)?.[1] ?? '',
    text,
  }));
  await Promise.all(recipes.map(({ name, text }) => writeFile(join(folder, name), text)));
  return recipes.map(({ name }) => name);
}
