import { CONFIG_SETTINGS, type ConfigSetting } from '../../../generated/config.ts';
import { closestName } from '../did-you-mean.ts';
import { serviceError } from '../service-error.ts';
import { type ConfigSources, findText, loadWithFile, meantSetting } from './load-config.ts';

/** A setting in effect. */
export type EffectiveSetting = {
  /** Its path, such as `networks.0.upstreams.1.url`. */
  readonly setting: string;
  /** `***` instead of a secret; null if it has no value. */
  readonly value: unknown;
  readonly source: 'command_line' | 'environment' | 'file' | 'default';
  /** The option, the variable, or the path of the file; null for a default. */
  readonly from: string | null;
};

/**
 * Returns the settings that a process with these sources would have, in the order of the spec, each with the source that decides it.
 *
 * @param names the settings to return, by path, variable or section (`http`); none: all.
 * @throws ServiceError `invalidConfig` like `loadConfig`; `invalidCommand` for a name that is no setting.
 */
export function explainConfig(
  sources: ConfigSources,
  names: readonly string[] = [],
): readonly EffectiveSetting[] {
  const { config, file } = loadWithFile(sources);
  const found = findLeaves(
    CONFIG_SETTINGS.map((setting) => ({ setting, rest: setting.path })),
    config,
    [],
  );
  const chosen = names.map((name) => {
    const matching = found.filter((leaf) => isNamed(leaf, pathOfVariable(name) ?? name));
    if (matching.length > 0) return matching;
    const meant = name.startsWith('KEYSLOT_') ? closestName(name, VARIABLES) : meantSetting(name.split('.'));
    throw serviceError('invalidCommand', {
      reason: `config show: ${JSON.stringify(name)} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    });
  });
  const shown =
    names.length === 0 ? found : found.filter((leaf) => chosen.some((some) => some.includes(leaf)));
  return shown.map((leaf) => ({
    setting: leaf.path.join('.'),
    value: shownValue(leaf),
    ...sourceOf(leaf, sources, file),
  }));
}

type Path = readonly (string | number)[];
/** A value that has no settings below it: undefined if it is not set. */
type Leaf = { readonly path: Path; readonly value: unknown; readonly setting: ConfigSetting };

/** Follows the settings through the items of lists: each item has its own leaves, and an empty list is one. */
function findLeaves(
  settings: readonly { readonly setting: ConfigSetting; readonly rest: Path }[],
  value: unknown,
  path: Path,
): readonly Leaf[] {
  const [first] = settings;
  if (first === undefined) return [];
  if (first.rest.length === 0) return [{ path, value, setting: first.setting }];
  const below = (key: string | number, index = key) =>
    findLeaves(
      settings
        .filter(({ rest }) => rest[0] === key)
        .map(({ setting, rest }) => ({ setting, rest: rest.slice(1) })),
      memberOf(value, index),
      [...path, index],
    );
  if (first.rest[0] !== 0)
    return [...new Set(settings.map(({ rest }) => rest[0] ?? ''))].flatMap((key) => below(key));
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (items.length === 0) return [{ path, value, setting: { ...first.setting, secret: false } }];
  return items.flatMap((_, index) => below(0, index));
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

const VARIABLES: readonly string[] = CONFIG_SETTINGS.flatMap(({ env }) => env ?? []);

const pathOfVariable = (name: string): string | undefined =>
  CONFIG_SETTINGS.find(({ env }) => env === name)?.path.join('.');

/** `networks[].name`, as errors write it, is that of every item. A list without items stands for what they would have. */
function isNamed({ path, value }: Leaf, name: string): boolean {
  const own = path.join('.');
  const known = name.includes('[]') ? own.replaceAll(/\.\d+(?=\.|$)/g, '[]') : own;
  const isBelow = known === name || known.startsWith(`${name}.`) || known.startsWith(`${name}[]`);
  return isBelow || (Array.isArray(value) && (name.startsWith(`${known}.`) || name.startsWith(`${known}[]`)));
}

function sourceOf(
  { path, setting }: Leaf,
  sources: ConfigSources,
  file: unknown,
): Pick<EffectiveSetting, 'source' | 'from'> {
  // Variables and options set the first item of a list.
  const isOwn = path.join('.') === setting.path.join('.');
  const source = isOwn ? findText(setting, sources)?.from : undefined;
  if (source !== undefined)
    return { source, from: (source === 'environment' ? setting.env : setting.cli) ?? null };
  if (path.reduce(memberOf, file) === undefined) return { source: 'default', from: null };
  return { source: 'file', from: sources.file ?? null };
}

const HIDDEN = '***';

/** Hides secrets. Other texts may hold one by mistake, as a file's path that is a URL: its login and its query are hidden. */
function shownValue({ value, setting: { secret } }: Leaf): unknown {
  if (value === undefined) return null;
  if (secret) return HIDDEN;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return withoutSecrets(value);
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .replaceAll(/:\/\/[^\s]*@/g, `://${HIDDEN}@`)
    .replaceAll(/(:\/\/[^\s?#]*)[?#]\S*/g, `$1?${HIDDEN}`);
}
