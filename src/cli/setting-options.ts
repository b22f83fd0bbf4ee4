import { CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';
import type { OptionSpec } from './command-spec.ts';

const MAX_SUMMARY = 110;

/** The options of `keyslot serve` that set a setting of spec/config.yaml. */
export const SETTING_OPTIONS: readonly OptionSpec[] = CONFIG_SETTINGS.flatMap((setting) =>
  setting.cli === undefined
    ? []
    : [
        {
          name: setting.cli.slice(2),
          value: valueNameOf(setting),
          summary: summaryOf(setting),
          ...fallbackOf(setting),
          ...(setting.path[0] === 'data_dir' ? { path: 'directory' as const } : {}),
          isSetting: true,
        },
      ],
);

/** The same for commands whose help does not list all settings. */
export const PLAIN_SETTING_OPTIONS: readonly OptionSpec[] = SETTING_OPTIONS.map(
  ({ isSetting: _, ...option }) => option,
);

/** Those of the embedded ledger, which `keyslot localnet` takes too. */
export const LOCALNET_SETTING_OPTIONS: readonly OptionSpec[] = CONFIG_SETTINGS.flatMap(
  ({ path: [section], cli }) =>
    section === 'localnet' && cli !== undefined
      ? PLAIN_SETTING_OPTIONS.filter(({ name }) => `--${name}` === cli)
      : [],
);

/** The sections and the settings, each by its path. */
export const SETTING_NAMES: readonly string[] = [
  ...new Set(CONFIG_SETTINGS.flatMap(({ path }) => [String(path[0]), path.join('.')])),
];

/** The default of a setting as help shows it. */
export function fallbackOf({ default: fallback }: ConfigSetting): { readonly fallback?: string } {
  const text = String(fallback ?? '');
  return text === '' ? {} : { fallback: text };
}

function valueNameOf({ type, path }: ConfigSetting): string {
  if (type === 'integer' || type === 'number') return 'N';
  const last = String(path.at(-1));
  return /dir|url|host|level/.exec(last)?.[0].toUpperCase() ?? 'TEXT';
}

/** The first sentence of the description if it defines the setting, else the name of the setting in words. */
function summaryOf({ description, path }: ConfigSetting): string {
  const [sentence = ''] = description.split('. ');
  const isUsable = /^(?!Absent)[A-Z]/.test(sentence) && sentence.length <= MAX_SUMMARY;
  return isUsable ? sentence.replace(/\.$/, '') : path.join(' ').replaceAll('_', ' ');
}
