import { type EffectiveSetting, explainConfig } from '../core/config/explain-config.ts';
import type { Terminal } from '../core/terminal.ts';
import type { Invocation } from './parse-command-line.ts';
import { textsOf } from './read-arguments.ts';
import { tableOf } from './text-table.ts';

/**
 * `keyslot config show`: prints the settings that `keyslot serve` would have with the same options and environment, and the source of
 * each. Secrets are printed as `***`.
 *
 * @throws ServiceError `invalidConfig` with all mistakes of the settings; `invalidCommand` for a name that is no setting.
 */
export async function showConfig({ words, options }: Invocation, { env, writeOut }: Terminal): Promise<void> {
  const { config: file, ...cli } = textsOf(options);
  const settings = explainConfig({ file, env, cli }, words);
  writeOut(
    options.json === true
      ? `${JSON.stringify({ settings })}\n`
      : tableOf({ SETTING: 'setting', VALUE: toCell, SOURCE: describeSource }, settings),
  );
}

/** A value on one line; `-` for none. */
function toCell({ value }: EffectiveSetting): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.join(', ');
  const isPlain = typeof value !== 'string' || /^[^\s"-][^\n\t]*$/.test(value);
  return isPlain ? String(value) : JSON.stringify(value);
}

function describeSource({ source, from }: EffectiveSetting): string {
  return source === 'file' ? `file ${from}` : (from ?? source);
}
