import { deepFreeze, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { type CatalogueError, readCatalogue } from './errors.ts';
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
  readonly errors: readonly CatalogueError[];
  readonly config: SettingSchema;
  readonly settings: readonly Setting[];
  readonly plans: JsonObject;
  readonly credentials: Credentials;
};

/** The query parameters and headers with credentials; headers in lower case. */
export type Credentials = { readonly query: readonly string[]; readonly headers: readonly string[] };

export const CONFIG_FILE = 'config.yaml';
export const CREDENTIALS_FILE = 'credentials.yaml';
export const PLANS_FILE = 'plans.yaml';

/** Reads the model of sources that passed lint, and freezes it. */
export const readProcess = (sources: Sources): ProcessModel => {
  const config = parseConfig(sources.get(CONFIG_FILE));
  const plans = sources.get(PLANS_FILE);
  return deepFreeze({
    errors: readCatalogue(sources),
    config,
    settings: listSettings(config, []),
    plans: isJsonObject(plans) ? plans : {},
    credentials: sources.get(CREDENTIALS_FILE) as unknown as Credentials,
  });
};

/** The settings below a schema: everything except objects and lists of objects. */
export const listSettings = (schema: SettingSchema, path: Setting['path']): readonly Setting[] => {
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, child]) => listSettings(child, [...path, name]));
  if (schema.items && schema.items.type === 'object') return listSettings(schema.items, [...path, 0]);
  return [{ path, schema }];
};

/** The settings whose values are secrets: marked so themselves, or with marked items. */
export const secretSettings = ({ settings }: ProcessModel): readonly Setting[] =>
  settings.filter(
    ({ schema }) =>
      schema['x-secret'] || childSchemas(schema).some(([, child]) => (child as SettingSchema)['x-secret']),
  );

const parseConfig = (value: Json | undefined): SettingSchema =>
  (value ?? { type: 'object', properties: {} }) as unknown as SettingSchema;
