import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Area } from './area.ts';
import { deepFreeze, type Json } from './json.ts';
import type { Problem } from './problem.ts';

/** Spec documents by path relative to the spec folder, in path order. */
export type Sources = ReadonlyMap<string, Json>;

/**
 * Spec files of one kind. `path` is relative to the spec folder and may have one * for a name. `parse` returns a file's text as plain data
 * (possibly the text itself), and throws SyntaxError with the fault.
 */
export type DocumentKind = { readonly path: string; readonly parse: (text: string) => Json };

/**
 * Reads every file below `directory`, parsed for its area. Files that do not parse, and files of no area, are returned as problems. Texts
 * for people (*.md) and hidden files are skipped.
 */
export const loadSources = (
  directory: string,
  areas: readonly Area[],
): { sources: Sources; problems: readonly Problem[] } => {
  const kinds = areas.flatMap(({ reads }) => reads);
  const sources = new Map<string, Json>();
  const problems: Problem[] = [];
  for (const file of listFiles(directory)) {
    const kind = kinds.find(({ path }) => isAt(path, file));
    if (!kind) {
      problems.push(unreadable(file, 'path', `nothing reads this file; ${expectedPaths(kinds)}`));
      continue;
    }
    try {
      sources.set(file, deepFreeze(kind.parse(readFileSync(join(directory, file), 'utf8'))));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problems.push(unreadable(file, 'syntax', error.message));
    }
  }
  return { sources, problems };
};

const listFiles = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.md'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

const isAt = (path: string, file: string): boolean => {
  const [before = '', after] = path.split('*');
  if (after === undefined) return file === path;
  const name = basename(file);
  return file === before + name && name.endsWith(after) && name.length > after.length;
};

const expectedPaths = (kinds: readonly DocumentKind[]): string =>
  `read are: ${[...new Set(kinds.map(({ path }) => path))].sort().join(', ')}`;

const unreadable = (file: string, rule: string, message: string): Problem => ({
  file,
  pointer: '',
  rule,
  message,
  blocking: true,
});
