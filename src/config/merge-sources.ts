import { readFileSync } from 'node:fs';
import { parse, YAMLError } from 'yaml';
import { CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';

export type ConfigSources = {
  /** Path of a YAML or JSON file. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of command-line options by name without the dashes (`http-port`). */
  readonly cli?: Readonly<Record<string, string | undefined>>;
};

type Node = Record<string | number, unknown>;

/** Merges the sources without validating them, and returns the problems that kept a source from being read. */
export function mergeSources({ file, env, cli = {} }: ConfigSources): {
  value: unknown;
  problems: readonly string[];
} {
  const { value, problems } = file === undefined ? { value: {}, problems: [] } : readFile(file);
  for (const setting of CONFIG_SETTINGS) {
    const text = cli[setting.cli?.slice(2) ?? ''] ?? env[setting.env ?? ''];
    if (text !== undefined && text !== '') setAt(value, setting.path, parseValue(text, setting.type));
  }
  return { value, problems };
}

function readFile(path: string): { value: Node; problems: readonly string[] } {
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

/** Text that does not fit the type stays text: the validator reports what it should be. */
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
