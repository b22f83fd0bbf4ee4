import { isJsonObject, type Json } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { someSchema } from '../reach.ts';
import { mapSchema, type Schema } from '../schema.ts';

/** A member that excludes others: it is not allowed with members of these values, or with members that are present at all. */
export type Conflict = {
  readonly member: string;
  readonly with: Readonly<Record<string, string>>;
  /** Ends the sentence "not with …: ". */
  readonly reason: string;
};

/** In the place of a value in `with`: whatever the member is. */
export const PRESENT = 'present';

/** A schema of the wallet documents: JSON Schema 2020-12, a subset, with our keywords. */
export type RestSchema = Schema & {
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  /** Never logged, printed or put into an error; answers that have it are not to be cached. */
  readonly 'x-secret'?: true;
  /** The pattern is for readers and other validators: the operation itself checks the text, and reports the reason. */
  readonly 'x-guard'?: true;
  /** The text has no half of a surrogate pair: a pattern that every dialect of regular expressions reads cannot say so. */
  readonly 'x-well-formed'?: true;
  /** The text is one that others see: all its characters are printable, or line feeds. Holds for what is sent, not for answers. */
  readonly 'x-printable'?: true | 'lines';
  /** Keyword to the place of the spec that has its value. */
  readonly 'x-limit'?: Readonly<Record<string, string>>;
  readonly 'x-conflicts'?: readonly Conflict[];
  /** The members that begin a range and count it: it ends where the first may be at most. */
  readonly 'x-last-index'?: { readonly from: string; readonly count: string };
  /** Bytes that the text may decode to. */
  readonly 'x-max-bytes'?: number;
};

export type RestSchemas = ReadonlyMap<string, RestSchema>;

/** What `file#/pointer` names in the documents; undefined where there is nothing. */
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

/** Adds the limits that are stated elsewhere to a schema. */
export const withLimits = (schema: RestSchema, sources: Sources): RestSchema =>
  mapSchema(schema, (part: RestSchema) => {
    const { 'x-limit': limits, ...rest } = part;
    if (!limits) return part;
    const values = Object.entries(limits).map(([keyword, place]) => [keyword, valueAt(place, sources)]);
    return { ...rest, ...Object.fromEntries(values) };
  });

/** Whether a value of the schema can hold a secret. */
export const hasSecret = (schema: RestSchema, schemas: RestSchemas): boolean =>
  someSchema(schema, schemas, (part: RestSchema) => part['x-secret'] === true);
