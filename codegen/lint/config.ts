import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { CONFIG_FILE, PLANS_FILE, readProcess, type Setting } from '../model/process.ts';
import type { Problem } from '../problem.ts';
import { compileValidator } from '../validators/compile.ts';
import { createShapeCheck } from './shape.ts';
import { CONFIG_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(CONFIG_SHAPE);

/** config.yaml and plans.yaml: their shape; environment variables and options are used once; defaults are of their type. */
export const lintConfig = (sources: Sources): readonly Problem[] => {
  const config = sources.get(CONFIG_FILE);
  if (!isJsonObject(config)) return [problem(CONFIG_FILE, '', 'the settings are missing')];
  if (!isJsonObject(sources.get(PLANS_FILE))) return [problem(PLANS_FILE, '', 'the plans are missing')];
  const shape = checkShape(CONFIG_FILE, config);
  if (shape.length > 0) return shape;
  const { settings } = readProcess(sources);
  return [...repeated(settings, 'x-env'), ...repeated(settings, 'x-cli'), ...settings.flatMap(checkSetting)];
};

const repeated = (settings: readonly Setting[], keyword: 'x-env' | 'x-cli'): readonly Problem[] => {
  const names = settings.map(({ schema }) => schema[keyword]);
  return settings.flatMap(({ path, schema }, index) =>
    schema[keyword] !== undefined && names.indexOf(schema[keyword]) < index
      ? [problem(CONFIG_FILE, `/${path.join('/')}`, `${schema[keyword]} names another setting already`)]
      : [],
  );
};

const checkSetting = ({ path, schema }: Setting): readonly Problem[] => {
  const at = `/${path.join('/')}`;
  if (schema.type === 'integer' && schema['x-int'] === undefined)
    return [problem(CONFIG_FILE, at, 'an integer needs x-int')];
  const { default: value, minimum, maximum, 'x-int': kind, enum: allowed } = schema;
  if (value === undefined || schema.type === 'array') return [];
  const type = schema.type === 'integer' ? { 'x-int': kind } : { type: schema.type };
  const fits = compileValidator({
    ...type,
    ...(allowed && { enum: allowed }),
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
  });
  return fits(value) ? [] : [problem(CONFIG_FILE, at, 'the default does not fit the setting')];
};

const problem = (file: string, pointer: string, message: string): Problem => ({
  file,
  pointer,
  rule: 'config',
  message,
  blocking: true,
});
