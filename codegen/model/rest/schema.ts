import { isJsonObject, type Json } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { someSchema } from '../reach.ts';
import { mapSchema, type Schema } from '../schema.ts';

/** A member that excludes others: it cannot be combined with members of these values, or with members that are present at all. */
export type Conflict = {
  readonly member: string;
  readonly with: Readonly<Record<string, string>>;
  /** Completes the sentence "not with …: ". */
  readonly reason: string;
};

/** Stands for any value in `with`. */
export const PRESENT = 'present';

/** A schema of the wallet documents: a subset of JSON Schema 2020-12, with our keywords. */
export type RestSchema = Schema & {
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  /** Never logged, printed or put into an error; answers that contain it must not be cached. */
  readonly 'x-secret'?: true;
  /** The pattern is for readers and other validators: the operation itself checks the text, and reports the reason. */
  readonly 'x-guard'?: true;
  /** The text has no half of a surrogate pair, which no pattern can express in every dialect of regular expressions. */
  readonly 'x-well-formed'?: true;
  /** A text that others see: printable characters and line feeds only. Applies to requests, not to answers. */
  readonly 'x-printable'?: true | 'lines';
  /** The keyword, with the place of the spec that has its value. */
  readonly 'x-limit'?: Readonly<Record<string, string>>;
  readonly 'x-conflicts'?: readonly Conflict[];
  /** The members for the start and the count of a range: its end is limited by the maximum of the start. */
  readonly 'x-last-index'?: { readonly from: string; readonly count: string };
  /** Maximum number of bytes that the text decodes to. */
  readonly 'x-max-bytes'?: number;
};

export type RestSchemas = ReadonlyMap<string, RestSchema>;

/** Returns the value at `file#/pointer` in the documents, if it exists. */
export const valueAt = (place: string, sources: Sources): Json | undefined => {
  const [file = '', pointer = ''] = place.split('#');
  return pointer
    .split('/')
    .slice(1)
    .reduce<Json | undefined>(
      (value, step) => (isJsonObject(value) ? value[step] : undefined),
      sources.get(file),
    );
};

/** Adds limits that are stated elsewhere to a schema. */
export const withLimits = (schema: RestSchema, sources: Sources): RestSchema =>
  mapSchema(schema, (part: RestSchema) => {
    const { 'x-limit': limits, ...rest } = part;
    if (!limits) return part;
    const values = Object.entries(limits).map(([keyword, place]) => [keyword, valueAt(place, sources)]);
    return { ...rest, ...Object.fromEntries(values) };
  });

/** True when a value of the schema can contain a secret. */
export const hasSecret = (schema: RestSchema, schemas: RestSchemas): boolean =>
  someSchema(schema, schemas, (part: RestSchema) => part['x-secret'] === true);
