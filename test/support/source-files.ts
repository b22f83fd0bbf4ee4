import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const ROOT = new URL('../../', import.meta.url);

/** A file of the project: its path from the root, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

/** An import, dynamic or not, or a file named by `new URL(…, import.meta.url)`; `to` is a path from the root or a package. */
export type Arrow = { readonly from: string; readonly to: string };

const IMPORT =
  /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta\.url/g;

/** An import of a package, dynamic or not: its name. */
const PACKAGE = /(?:^(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*|\bimport\(\s*)'((?:@[\w-]+\/)?\w[\w.:-]*)/gm;

/** All code files below a top-level folder. */
export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|js|mjs)$/.test(entry.name))
    .map((entry) => posix.join(entry.parentPath.slice(fileURLToPath(ROOT).length), entry.name))
    .map((path) => ({ path, text: readFileSync(new URL(path, ROOT), 'utf8') }));
}

/** The imports of a file. */
export function arrowsOf({ path, text }: SourceFile): readonly Arrow[] {
  return [...text.matchAll(IMPORT)].map(([, imported, named]) => {
    const target = imported ?? named ?? '';
    return { from: path, to: target.startsWith('.') ? posix.join(posix.dirname(path), target) : target };
  });
}

/** The packages that a file imports, built-in modules included. */
export function packagesOf({ path, text }: SourceFile): readonly Arrow[] {
  return [...text.matchAll(PACKAGE)].map(([, name = '']) => ({ from: path, to: name }));
}
