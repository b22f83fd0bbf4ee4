import { createHash } from 'node:crypto';

/** In Ajv's code: an error that is created and added to the others. */
const ADDED_ERROR =
  /const (err\d+) = (.*);\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\n/g;
const PART = /\blet (data\d+) = (data\d*)(?:\.([\w$]+)|\["(.*)"\]|\[(\w+)\]);/g;
const FUNCTION_START = /^(?=function )/m;
const PATTERN = /^const (pattern\d+) = (.*);$/gm;

/**
 * Replaces Ajv's counters (`data3`, `pattern1`, `err7`) by names derived from their content, so that a new part of a schema renames nothing
 * else: parts of the data are named by path, patterns by hash. Errors need no name.
 */
export const nameByContent = (code: string): string =>
  namePatterns(code)
    .replace(ADDED_ERROR, (_, _name: string, error: string) => `(vErrors ??= []).push(${error});\n`)
    .split(FUNCTION_START)
    .map(nameParts)
    .join('');

const namePatterns = (code: string): string =>
  [...code.matchAll(PATTERN)].reduce(
    (text, [, name = '', pattern = '']) => rename(text, name, `pattern_${hashOf(pattern)}`),
    code,
  );

/** Within one function, every name means one part of the data. */
const nameParts = (code: string): string => {
  const names = new Map([['data', 'data']]);
  const used = new Map<string, number>();
  for (const [, name = '', parent = '', member, quoted, item = ''] of code.matchAll(PART)) {
    const step = member ?? quoted ?? (/^\d+$/.test(item) ? item : 'item');
    const path = `${names.get(parent) ?? parent}_${step.replaceAll(/\W/g, '_')}`;
    const times = (used.get(path) ?? 0) + 1;
    used.set(path, times);
    names.set(name, times === 1 ? path : `${path}__${times}`);
  }
  return code.replace(/\bdata\d+\b/g, (name) => names.get(name) ?? name);
};

const rename = (code: string, from: string, to: string): string =>
  code.replace(new RegExp(`\\b${from}\\b`, 'g'), to);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
