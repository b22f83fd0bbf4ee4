import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Files } from './area.ts';

/** The differences between the texts and a folder. */
export type Drift = { readonly changed: readonly string[]; readonly stale: readonly string[] };

/** Compares the folder with its expected content. @param except paths that are ignored. */
export const findDrift = (directory: string, files: Files, except?: RegExp): Drift => ({
  changed: Object.keys(files)
    .filter((path) => !except?.test(path) && readIfThere(join(directory, path)) !== files[path])
    .sort(),
  stale: listFiles(directory).filter((path) => !except?.test(path) && !(path in files)),
});

/** Makes the folder contain exactly these files; correct files are not touched. */
export const writeFiles = (directory: string, files: Files): Drift => {
  const drift = findDrift(directory, files);
  for (const path of drift.changed) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), files[path] ?? '');
  }
  for (const path of drift.stale) {
    rmSync(join(directory, path));
    removeIfEmpty(directory, dirname(path));
  }
  return drift;
};

const readIfThere = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

const listFiles = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .sort()
    : [];

const removeIfEmpty = (directory: string, folder: string): void => {
  if (folder === '.' || readdirSync(join(directory, folder)).length > 0) return;
  rmdirSync(join(directory, folder));
  removeIfEmpty(directory, dirname(folder));
};
