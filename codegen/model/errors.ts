import { isJsonObject, type Json } from '../json.ts';
import type { Sources } from '../load.ts';

/** One error of errors.yaml. */
export type ErrorModel = {
  readonly name: string;
  readonly area: string;
  readonly summary: string;
  readonly http: number;
  readonly jsonrpc: { readonly code: number; readonly message: string };
  readonly context: Readonly<Record<string, 'integer' | 'string'>>;
  readonly data: readonly string[];
  /** A schema file, where the data is more than members of the context. */
  readonly dataSchema?: { readonly $ref: string };
};

export const ERRORS_FILE = 'errors.yaml';

/** The errors of the catalogue in the order of the file. */
export const readErrors = (sources: Sources): readonly ErrorModel[] => {
  const file = sources.get(ERRORS_FILE);
  return isJsonObject(file) ? Object.entries(file).map(([name, value]) => parseError(name, value)) : [];
};

/** The value has passed the shape check of the catalogue. */
const parseError = (name: string, value: Json): ErrorModel => {
  const entry = value as unknown as Omit<ErrorModel, 'name' | 'context' | 'data'> & Partial<ErrorModel>;
  return { ...entry, name, context: entry.context ?? {}, data: entry.data ?? [] };
};
