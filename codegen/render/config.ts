import type { Files } from '../area.ts';
import type { ProcessModel, Setting } from '../model/process.ts';
import { INT_BOUNDS } from '../../runtime/int-kinds.ts';
import { HEADER, literal, memberName } from '../text.ts';
import { settingsType, settingsValidator } from './settings.ts';

/** config.ts: the type of the settings and their table; config-validator.js: checks them and fills in the defaults. */
export const renderConfig = ({ config, settings }: ProcessModel): Files => ({
  'config.ts': `${HEADER}
/** The settings of a process, defaults filled in. */
export type Config = ${settingsType(config)};

export type ConfigSetting = {
  /** Path of the value; 0 is the first item of a list. */
  readonly path: readonly (string | number)[];
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  /** Environment variable. */
  readonly env?: string;
  /** Command-line option. */
  readonly cli?: string;
  readonly default?: unknown;
  /** Never logged, printed or put into an error. */
  readonly secret: boolean;
  readonly description: string;
};

/** Every setting, in the order of the spec. */
export const CONFIG_SETTINGS: readonly ConfigSetting[] = [
${settings.map((setting) => `${literal(tableRow(setting))},\n`).join('')}];

/** The bounds of every whole number, and the default of those that have one, by its path. */
export const CONFIG_INTEGERS = {
${settings.map(integerRow).join('')}} as const;
`,
  'config-validator.js': `${HEADER}${settingsValidator(config, 'validateConfig')}`,
  'config-validator.d.ts': `${HEADER}import type { Config } from './config.ts';

export type ConfigProblem = {
  /** JSON pointer to the value; for a missing or unknown member, to the object. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** True if the value is a configuration. Fills in defaults, in place. \`errors\` has every problem of the last call. */
export declare const validateConfig: {
  (value: unknown): value is Config;
  errors?: readonly ConfigProblem[] | null;
};
`,
});

const tableRow = ({ path, schema }: Setting) => ({
  path,
  type: schema.type,
  env: schema['x-env'],
  cli: schema['x-cli'],
  default: schema.default,
  secret: schema['x-secret'] ?? false,
  description: schema.description ?? '',
});

const integerRow = ({ path, schema }: Setting): string => {
  const { 'x-int': kind, default: fallback } = schema;
  if (kind === undefined) return '';
  const [lowest, highest] = INT_BOUNDS[kind];
  const bounds = { minimum: schema.minimum ?? Number(lowest), maximum: schema.maximum ?? Number(highest) };
  return `${memberName(path.join('.'))}: ${literal({ ...bounds, ...(fallback === undefined ? {} : { default: fallback }) })},\n`;
};
