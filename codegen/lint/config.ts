import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { CONFIG_FILE, CREDENTIALS_FILE, PLANS_FILE, readProcess, type Setting } from '../model/process.ts';
import { pointerTo, type Problem } from '../problem.ts';
import { compileValidator } from '../validators/compile.ts';
import { partsOf } from './ledger/rule.ts';
import { checkPart } from './ledger/schemas.ts';
import { limitsIn, repeatedIn } from './limits.ts';
import { createShapeCheck } from './shape.ts';
import { CONFIG_SHAPE, CREDENTIALS_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(CONFIG_SHAPE);
const checkCredentials = createShapeCheck(CREDENTIALS_SHAPE);

/**
 * Checks config.yaml, credentials.yaml and plans.yaml: their shape; schemas as everywhere; environment variables and options are used once;
 * defaults fit their types.
 */
export const lintConfig = (sources: Sources): readonly Problem[] => {
  const config = sources.get(CONFIG_FILE);
  if (!isJsonObject(config)) return [problem(CONFIG_FILE, '', 'the settings are missing')];
  if (!isJsonObject(sources.get(PLANS_FILE))) return [problem(PLANS_FILE, '', 'the plans are missing')];
  const shape = [
    ...checkShape(CONFIG_FILE, config),
    ...checkCredentials(CREDENTIALS_FILE, sources.get(CREDENTIALS_FILE) ?? {}),
  ];
  if (shape.length > 0) return shape;
  const { settings, config: schema } = readProcess(sources);
  const parts = partsOf({ file: CONFIG_FILE, pointer: '', position: 'schema', schema }).flatMap(checkPart);
  if (parts.length > 0) return parts;
  return [...repeated(settings, 'x-env'), ...repeated(settings, 'x-cli'), ...settings.flatMap(checkSetting)];
};

const repeated = (settings: readonly Setting[], keyword: 'x-env' | 'x-cli'): readonly Problem[] => {
  const names = settings.map(({ schema }) => schema[keyword]);
  return settings.flatMap(({ path, schema }, index) =>
    schema[keyword] !== undefined && names.indexOf(schema[keyword]) < index
      ? [problem(CONFIG_FILE, pointerOf(path), `${schema[keyword]} already names another setting`)]
      : [],
  );
};

const checkSetting = ({ path, schema }: Setting): readonly Problem[] => {
  const at = pointerOf(path);
  const repeats = repeatedIn(schema.description, limitsIn([{ pointer: at, schema }])).map((limit) =>
    problem(CONFIG_FILE, `${at}/description`, `the text repeats the limit ${limit}`),
  );
  return [...repeats, ...checkDefault(schema, at)];
};

const checkDefault = (schema: Setting['schema'], at: string): readonly Problem[] => {
  const { default: value, minimum, maximum, 'x-int': kind, enum: allowed } = schema;
  if (value === undefined || schema.type === 'array') return [];
  const type = schema.type === 'integer' ? { 'x-int': kind } : { type: schema.type };
  const fits = compileValidator({
    ...type,
    ...(allowed && { enum: allowed }),
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
  });
  return fits(value) ? [] : [problem(CONFIG_FILE, `${at}/default`, 'the default does not fit the setting')];
};

/** The position of a setting in the document. */
const pointerOf = (path: Setting['path']): string =>
  pointerTo('', ...path.flatMap((step) => (step === 0 ? ['items'] : ['properties', step])));

const problem = (file: string, pointer: string, message: string): Problem => ({
  file,
  pointer,
  rule: 'config',
  message,
  blocking: true,
});
