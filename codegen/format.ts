import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Files } from './area.ts';

const BIOME = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
const RULES = fileURLToPath(new URL('../biome.json', import.meta.url));

/** Formats code with the rules of the repository's formatter; other texts pass unchanged. */
export const formatFiles = (files: Files): Files => {
  const known = Object.keys(files).filter((path) => /\.(js|ts)$/.test(path));
  const folder = mkdtempSync(join(tmpdir(), 'format-'));
  try {
    const { formatter, javascript } = JSON.parse(readFileSync(RULES, 'utf8'));
    writeFileSync(
      join(folder, 'biome.json'),
      JSON.stringify({ formatter, javascript, files: { maxSize: 10_000_000 } }),
    );
    for (const path of known) {
      mkdirSync(dirname(join(folder, 'text', path)), { recursive: true });
      writeFileSync(join(folder, 'text', path), files[path] ?? '');
    }
    execFileSync(
      process.execPath,
      [BIOME, 'format', '--write', '--colors=off', `--config-path=${folder}`, 'text'],
      { cwd: folder, stdio: 'pipe' },
    );
    const formatted = known.map((path) => [path, readFileSync(join(folder, 'text', path), 'utf8')] as const);
    return { ...files, ...Object.fromEntries(formatted) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
