import { deepFreeze, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { type ErrorModel, readErrors } from './errors.ts';
import { childSchemas, type Schema } from './schema.ts';

/** A schema of config.yaml: our dialect with the keywords of settings. */
export type SettingSchema = Schema & {
  readonly 'x-env'?: string;
  readonly 'x-cli'?: string;
  readonly 'x-secret'?: true;
};

/** One setting. `path` has 0 for the first item of a list. */
export type Setting = { readonly path: readonly (string | number)[]; readonly schema: SettingSchema };

export type ProcessModel = {
  readonly errors: readonly ErrorModel[];
  readonly config: SettingSchema;
  readonly settings: readonly Setting[];
  readonly plans: JsonObject;
};

export const CONFIG_FILE = 'config.yaml';
export const PLANS_FILE = 'plans.yaml';

/** Reads the model of sources that lint accepted, and freezes it. */
export const readProcess = (sources: Sources): ProcessModel => {
  const config = parseConfig(sources.get(CONFIG_FILE));
  const plans = sources.get(PLANS_FILE);
  return deepFreeze({
    errors: readErrors(sources),
    config,
    settings: listSettings(config, []),
    plans: isJsonObject(plans) ? plans : {},
  });
};

/** The settings below a schema: what is no object and no list of objects. */
export const listSettings = (schema: SettingSchema, path: Setting['path']): readonly Setting[] => {
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, child]) => listSettings(child, [...path, name]));
  if (schema.items && schema.items.type === 'object') return listSettings(schema.items, [...path, 0]);
  return [{ path, schema }];
};

/** Names that secrets go by: settings marked so, with every schema below them. */
export const secretNames = ({ settings }: ProcessModel): readonly string[] =>
  settings
    .filter(
      ({ schema }) =>
        schema['x-secret'] || childSchemas(schema).some(([, child]) => (child as SettingSchema)['x-secret']),
    )
    .flatMap(({ path, schema }) => [
      String(path.filter((step) => step !== 0).at(-1)),
      ...(schema['x-env'] ? [schema['x-env']] : []),
    ]);

const parseConfig = (value: Json | undefined): SettingSchema =>
  (value ?? { type: 'object', properties: {} }) as unknown as SettingSchema;
