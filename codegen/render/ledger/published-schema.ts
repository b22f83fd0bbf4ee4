import type { LedgerModel } from '../../model/ledger.ts';
import type { Param } from '../../model/method.ts';
import { reachedTitles } from '../../model/reach.ts';
import { mapSchema, type Schema, type Schemas } from '../../model/schema.ts';

/** The schema files as shown in documents: those of params state accepted values in JSON Schema's own words. */
export const publishedSchemas = (model: LedgerModel): Schemas => {
  const { param } = reachedTitles(model);
  return new Map(
    [...model.schemas].map(([title, schema]) => [title, param.has(title) ? taken(schema) : schema]),
  );
};

/** The schema of a param as shown in documents. */
export const publishedParam = ({ schema, required }: Param): Schema =>
  required ? taken(schema) : orNull(taken(schema));

/** An optional param may also be null, and a lenient enum accepts any word. */
const taken = (written: Schema): Schema =>
  mapSchema(written, (part) => {
    const { properties, required = [] } = part;
    if (part['x-lenient']) return lenient(part);
    if (!properties) return part;
    const members = Object.entries(properties).map(([name, member]) => [
      name,
      required.includes(name) ? member : orNull(member),
    ]);
    return { ...part, properties: Object.fromEntries(members) };
  });

const NULL: Schema = { type: 'null' };

/** The description and the default stay next to the `anyOf`, where viewers look for them. */
const orNull = (schema: Schema): Schema => {
  const { description, default: fallback, ...rest } = schema;
  const beside = {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
  return schema.$ref === undefined && schema.anyOf !== undefined && schema['x-tagged'] === undefined
    ? { ...schema, anyOf: [...schema.anyOf, NULL] }
    : { ...beside, anyOf: [rest, NULL] };
};

/** The documented words, or any other word that is not refused. */
const lenient = ({ type, enum: words, ...rest }: Schema): Schema => {
  const refused = Object.keys(rest['x-lenient'] ?? {});
  const other: Schema = {
    description: 'Any other value is ignored.',
    ...(refused.length > 0 && { not: { enum: refused } }),
  };
  return { ...rest, anyOf: [{ ...(type && { type }), ...(words && { enum: words }) }, other] };
};
