import { CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';
import { closestName } from '../base/did-you-mean.ts';
import type { ConfigProblem } from '../../generated/config-validator.js';

const INTEGER_TYPE = /\((u\d+)\)/;

/** Describes a problem in one line: `http.port (KEYSLOT_HTTP_PORT) is 99999; must be an integer from 0 to 65535`. */
export function describeProblem(problem: ConfigProblem, root: unknown): string {
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
  /** What an unknown name most likely means. */
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

/** Every setting, and every map of settings, by its path; an item of a list is `[]`. */
const PATHS: readonly string[] = [
  ...new Set(
    CONFIG_SETTINGS.flatMap(({ path }) => path.map((_, at) => dotted(path.slice(0, at + 1).map(String)))),
  ),
];

/** The settings of that name that stand elsewhere, or the one whose path is closest. */
function meantSetting(path: readonly string[]): string | undefined {
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
