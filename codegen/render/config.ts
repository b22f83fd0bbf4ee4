import type { Files } from '../area.ts';
import type { ProcessModel, Setting, SettingSchema } from '../model/process.ts';
import type { Schema } from '../model/schema.ts';
import { INT_BOUNDS } from '../../runtime/int-kinds.ts';
import { docComment, HEADER, literal, memberName } from '../text.ts';
import { compileModule, partRef } from '../validators/compile.ts';
import type { Prepared } from '../../runtime/value-keywords.ts';

/** config.ts: the type of the settings and their table; config-validator.js: checks them and fills in the defaults. */
export const renderConfig = ({ config, settings }: ProcessModel): Files => ({
  'config.ts': `${HEADER}
/** The settings of a process, defaults filled in. */
export type Config = ${configType(config)};

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

/** The bounds and the default of every whole number that has one, by its path. */
export const CONFIG_INTEGERS = {
${settings.map(integerRow).join('')}} as const;
`,
  'config-validator.js': `${HEADER}${configValidator(config)}`,
  'config-validator.d.ts': `${HEADER}import type { Config } from './config.ts';

export type ConfigProblem = {
  /** JSON pointer to the value; for a missing or unknown member, to the object. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** Whether the value is a configuration. Fills in defaults, in place. \`errors\` has every problem of the last call. */
export declare const validateConfig: {
  (value: unknown): value is Config;
  errors?: readonly ConfigProblem[] | null;
};
`,
});

const configValidator = (config: SettingSchema): string => {
  const parts: Record<string, Prepared> = {};
  const options = { allErrors: true, messages: true, useDefaults: true, parts };
  const code = compileModule(prepareConfig(config, '', parts), '../runtime', options);
  return code.replace('const validate =', 'const validateConfig =');
};

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
  if (kind === undefined || fallback === undefined) return '';
  const [lowest, highest] = INT_BOUNDS[kind];
  const bounds = { minimum: schema.minimum ?? Number(lowest), maximum: schema.maximum ?? Number(highest) };
  return `${memberName(path.join('.'))}: ${literal({ ...bounds, default: fallback })},\n`;
};

/** A member is there when it is required or has a default. */
const configType = (schema: Schema): string => {
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === 'array') return `readonly (${schema.items ? configType(schema.items) : 'unknown'})[]`;
  if (schema.type !== 'object') return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown');
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const there = schema.required?.includes(name) || member.default !== undefined;
    return `${docComment(member.description)}readonly ${memberName(name)}${there ? '' : '?'}: ${configType(member)};\n`;
  });
  return `{\n${members.join('')}}`;
};

const KEPT = [
  'type',
  'enum',
  'required',
  'additionalProperties',
  'default',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
] as const;

/** What is compiled; every object inside becomes one of the parts, so that a new setting changes the validator of its own section alone. */
const prepareConfig = (schema: SettingSchema, name: string, parts: Record<string, Prepared>): Prepared => {
  const kept = Object.fromEntries(
    KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  );
  const prepareInner = (child: SettingSchema, step: string): Prepared => {
    const own = name + step.charAt(0).toUpperCase() + step.slice(1);
    const prepared = prepareConfig(child, own, parts);
    if (child.type !== 'object') return prepared;
    const { default: fallback, ...part } = prepared;
    parts[own] = part;
    return { $ref: partRef(own), ...(fallback !== undefined && { default: fallback }) };
  };
  return {
    ...kept,
    ...(schema.type === 'integer' && { type: undefined, 'x-int': schema['x-int'] }),
    ...(schema.minimum !== undefined && { 'x-minimum': schema.minimum }),
    ...(schema.maximum !== undefined && { 'x-maximum': schema.maximum }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([step, member]) => [step, prepareInner(member, step)]),
      ),
    }),
    ...(schema.items && { items: prepareInner(schema.items, 'item') }),
  };
};
