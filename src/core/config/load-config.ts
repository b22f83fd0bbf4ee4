import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { type Config, CONFIG_SETTINGS, type ConfigSetting } from '../../../generated/config.ts';
import { validateConfig, type ConfigProblem } from '../../../generated/config-validator.js';
import { crossCheck } from './cross-check.ts';
import { serviceError } from '../service-error.ts';
import { closestName } from '../did-you-mean.ts';

/**
 * Loads the settings of the process: defaults, then the file, then the environment, then the command line. Deeply frozen.
 *
 * @throws ServiceError `invalidConfig` with every problem at once, one per line: the setting, its value (never a secret's) and
 *   the bound that it violates.
 */
export function loadConfig(sources: ConfigSources): Config {
  return loadWithFile(sources).config;
}

/** Does the same, and returns what the file says as well. */
export function loadWithFile(sources: ConfigSources): { readonly config: Config; readonly file: unknown } {
  const { value, file, problems } = mergeSources(sources);
  if (problems.length > 0) throw invalid(problems);
  if (!validateConfig(value)) {
    const problems = validateConfig.errors ?? [];
    throw invalid([
      ...problems.map((problem) => describeProblem(problem, value)),
      ...conflictsBeside(problems, value),
    ]);
  }
  assertNoConflicts(value);
  return { config: deepFreeze(value), file };
}

/** Checks settings against each other and the files that they name. @throws ServiceError `invalidConfig` like `loadConfig`. */
export function assertNoConflicts(config: Config): void {
  const conflicts = crossCheck(config);
  if (conflicts.length > 0) throw invalid(conflicts);
}

/** Returns the path of the file that signed audit log heads are appended to. */
export function headsFileOf({ audit_heads_file: file, data_dir: dataDir }: Config): string {
  return file ?? join(dataDir, 'audit-heads.jsonl');
}

function invalid(problems: readonly string[]): Error {
  const head = problems.length === 1 ? 'The configuration has an error:' : 'The configuration has errors:';
  return serviceError('invalidConfig', {
    problems: [head, ...problems.map((problem) => `  ${problem}`)].join('\n'),
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/**
 * Returns the conflicts among the valid settings if others are invalid: conflicts that involve an invalid one are left out. Empty if the
 * rest is not a configuration.
 */
function conflictsBeside(problems: readonly ConfigProblem[], value: unknown): readonly string[] {
  const rest: unknown = structuredClone(value);
  const left = problems.map(({ instancePath, params: { additionalProperty } }) => {
    const path = instancePath.split('/').slice(1);
    return additionalProperty === undefined ? path : [...path, String(additionalProperty)];
  });
  for (const path of left) removeAt(rest, path);
  if (!validateConfig(rest)) return [];
  // Networks are identified by their index, and compared with each other.
  const names = left.map(([first = '', ...others]) =>
    first === 'networks' ? first : [first, ...others].join('.'),
  );
  return crossCheck(rest).filter((conflict) => !names.some((name) => conflict.includes(name)));
}

function removeAt(root: unknown, path: readonly string[]): void {
  let node = root;
  for (const key of path.slice(0, -1)) node = (node as Readonly<Record<string, unknown>> | undefined)?.[key];
  const last = path.at(-1);
  if (typeof node === 'object' && node !== null && last !== undefined) Reflect.deleteProperty(node, last);
}

export type ConfigSources = {
  /** Path of a YAML or JSON file. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of command-line options by name without the dashes (`http-port`). */
  readonly cli?: Readonly<Record<string, string | undefined>>;
};

type Node = Record<string | number, unknown>;

/** Merges the sources without validating them, and returns the problems that kept a source from being read. */
function mergeSources(sources: ConfigSources): {
  value: unknown;
  file: unknown;
  problems: readonly string[];
} {
  const { value, problems } =
    sources.file === undefined ? { value: {}, problems: [] } : readFile(sources.file);
  const file = structuredClone(value);
  for (const setting of CONFIG_SETTINGS) {
    const given = findText(setting, sources);
    if (given !== undefined) setAt(value, setting.path, parseValue(given.text, setting.type));
  }
  return { value, file, problems };
}

/** Returns the text that the command line, or else the environment, has for a setting; an empty text is none. */
export function findText(
  { cli: option, env: variable }: ConfigSetting,
  { env, cli = {} }: ConfigSources,
): { readonly text: string; readonly from: 'command_line' | 'environment' } | undefined {
  const typed = cli[option?.slice(2) ?? ''];
  const text = typed ?? env[variable ?? ''];
  if (text === undefined || text === '') return undefined;
  return { text, from: typed === undefined ? 'environment' : 'command_line' };
}

const require = createRequire(import.meta.url);

function readFile(path: string): { value: Node; problems: readonly string[] } {
  // Loaded where there is a file.
  const { parse, YAMLError } = require('yaml') as typeof import('yaml');
  const failed = (reason: string) => ({ value: {}, problems: [`--config ${path}: ${reason}`] });
  try {
    const value: unknown = parse(readFileSync(path, 'utf8')) ?? {};
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return failed('is not a map of settings');
    return { value: value as Node, problems: [] };
  } catch (error) {
    if (error instanceof YAMLError)
      return failed(`is not YAML (${error.code}, line ${error.linePos?.[0].line ?? '?'})`);
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Text that does not fit the type stays text: the validator reports the expected type. */
function parseValue(text: string, type: ConfigSetting['type']): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      if (text === '1' || text === 'true') return true;
      return text === '0' || text === 'false' ? false : text;
    case 'array':
      return text.split(',').map((item) => item.trim());
    case 'string':
      return text;
  }
}

/** Sets a value in a tree and creates maps and lists on the way. A path through a scalar is left to the validator. */
function setAt(root: Node, path: readonly (string | number)[], value: unknown): void {
  let node = root;
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) {
      node[key] = value;
      return;
    }
    node[key] ??= typeof path[index + 1] === 'number' ? [] : {};
    const next = node[key];
    if (typeof next !== 'object' || next === null) return;
    node = next as Node;
  }
}

const INTEGER_TYPE = /\((u\d+)\)/;

/** Describes a problem in one line: `http.port (KEYSLOT_HTTP_PORT) is 99999; must be an integer from 0 to 65535`. */
function describeProblem(problem: ConfigProblem, root: unknown): string {
  return describe(problem, { nameOf, shown: (path) => shownValue(path, root), meant: meantSetting });
}

/** Describes a problem of a document without secrets: `faults.0.part is "disk"; must be one of node, gateway`. */
export function describeValueProblem(problem: ConfigProblem, root: unknown): string {
  return describe(problem, {
    nameOf: (path) => path.join('.') || 'the document',
    shown: (path) => JSON.stringify(valueAt(path, root)),
    meant: () => undefined,
  });
}

type Names = {
  readonly nameOf: (path: readonly string[]) => string;
  readonly shown: (path: readonly string[]) => string;
  /** Returns the setting that an unknown name most likely means. */
  readonly meant: (path: readonly string[]) => string | undefined;
};

function describe(
  { instancePath, keyword, message = keyword, params }: ConfigProblem,
  { nameOf: name, shown, meant }: Names,
): string {
  const path = instancePath.split('/').slice(1);
  if (keyword === 'required') return `${name([...path, String(params.missingProperty)])} is missing`;
  if (keyword === 'additionalProperties') {
    const unknown = [...path, String(params.additionalProperty)];
    const known = meant(unknown);
    return `${unknown.join('.')} is not a setting${known === undefined ? '' : `; did you mean ${known}?`}`;
  }
  const bound = Array.isArray(params.allowedValues)
    ? `must be one of ${params.allowedValues.join(', ')}`
    : message;
  return `${name(path)} is ${shown(path)}; ${withRange(bound)}`;
}

/** Every setting, and every map of settings, by its path; `[]` stands for an item of a list. */
const PATHS: readonly string[] = [
  ...new Set(
    CONFIG_SETTINGS.flatMap(({ path }) => path.map((_, at) => dotted(path.slice(0, at + 1).map(String)))),
  ),
];

/** Returns the settings of that name elsewhere, or the one with the closest path. */
export function meantSetting(path: readonly string[]): string | undefined {
  const elsewhere = PATHS.filter((known) => known.endsWith(`.${path.at(-1)}`));
  return elsewhere.length > 0 ? elsewhere.join(' or ') : closestName(dotted(path), PATHS);
}

function dotted(path: readonly string[]): string {
  return path.join('.').replaceAll(/\.\d+(?=\.|$)/g, '[]');
}

function nameOf(path: readonly string[]): string {
  const env = findSetting(path)?.env;
  return path.join('.') + (env === undefined ? '' : ` (${env})`);
}

/** Hides secrets, and lists and maps that may hold one. */
function shownValue(path: readonly string[], root: unknown): string {
  const value = valueAt(path, root);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a map';
  const setting = findSetting(path);
  return setting === undefined || setting.secret ? 'set to something else' : JSON.stringify(value);
}

function valueAt(path: readonly string[], root: unknown): unknown {
  let value = root;
  for (const key of path) value = (value as Record<string, unknown>)[key];
  return value;
}

/** Finds the setting at a path; in the table the first item stands for all items of a list. */
function findSetting(path: readonly string[]): ConfigSetting | undefined {
  const pattern = path.map((key) => (/^\d+$/.test(key) ? '0' : key)).join('.');
  return CONFIG_SETTINGS.find((setting) => setting.path.join('.') === pattern);
}

/** Replaces an integer type, as in `must be an integer (u16)`, by its range in numbers. */
function withRange(text: string): string {
  return text.replace(
    INTEGER_TYPE,
    (_match, type: string) => `from 0 to ${2n ** BigInt(type.slice(1)) - 1n}`,
  );
}
