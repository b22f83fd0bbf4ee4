import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { deepFreeze, type Json } from './json.ts';
import type { Problem } from './problem.ts';

/** Spec documents by path relative to the spec folder, in path order. */
export type Sources = ReadonlyMap<string, Json>;

/** Reads every YAML document below `directory`; files that do not parse come back as problems. */
export const loadSources = (directory: string): { sources: Sources; problems: readonly Problem[] } => {
  const sources = new Map<string, Json>();
  const problems: Problem[] = [];
  for (const file of listFiles(directory)) {
    const document = parseDocument(readFileSync(join(directory, file), 'utf8'), { intAsBigInt: true });
    const [error] = document.errors;
    if (error)
      problems.push({
        file,
        pointer: '',
        rule: 'yaml',
        message: error.message.split('\n')[0] ?? '',
        blocking: true,
      });
    else sources.set(file, deepFreeze(narrow(document.toJS({ maxAliasCount: -1 }))));
  }
  return { sources, problems };
};

const listFiles = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.yaml'))
    .sort();

/** Integers that a number holds exactly become numbers; the rest stay bigint. */
const narrow = (value: unknown): Json => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrow);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item)]));
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  throw new TypeError(`YAML value of type ${typeof value}`);
};
