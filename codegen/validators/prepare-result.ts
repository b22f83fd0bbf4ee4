import { childSchemas, refTitle, type Schema, type Schemas } from '../model/schema.ts';
import type { Prepared } from './keywords.ts';

/** What a result validator is compiled from: the schema and, under `$defs`, every schema it reaches. */
export const prepareResult = (schema: Schema, schemas: Schemas): Prepared => {
  const reached = reachedFrom(schema, schemas);
  const defs = Object.fromEntries([...reached].map(([title, target]) => [title, prepare(target)]));
  return { ...prepare(schema), ...(reached.size > 0 && { $defs: defs }) };
};

/** The same without the definitions, for validators that share them. */
export const prepareShared = (schema: Schema): Prepared => prepare(schema);

/** Every schema that a schema reaches through references, by title. */
export const reachedFrom = (schema: Schema, schemas: Schemas): ReadonlyMap<string, Schema> => {
  const reached = new Map<string, Schema>();
  const visit = (part: Schema): void => {
    const title = part.$ref === undefined ? undefined : refTitle(part.$ref);
    const target = title === undefined ? undefined : schemas.get(title);
    if (title !== undefined && target && !reached.has(title)) {
      reached.set(title, target);
      visit(target);
    }
    for (const [, child] of childSchemas(part)) visit(child);
  };
  visit(schema);
  return new Map([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
};

const KEPT = [
  'enum',
  'const',
  'required',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'x-base58',
] as const;

const prepare = (schema: Schema): Prepared => {
  if (schema.$ref !== undefined) return { $ref: `#/$defs/${refTitle(schema.$ref)}` };
  const kept = Object.fromEntries(
    KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  );
  const { properties, prefixItems, items, anyOf, additionalProperties, minimum, maximum } = schema;
  return {
    ...typeOf(schema),
    ...kept,
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, prepare(part)])),
    }),
    ...(prefixItems && {
      items: prefixItems.map(prepare),
      minItems: schema.minItems ?? prefixItems.length,
      additionalItems: items !== false && items !== undefined,
    }),
    ...(!prefixItems && items && { items: prepare(items) }),
    ...(anyOf && { anyOf: anyOf.map(prepare) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? prepare(additionalProperties) : additionalProperties,
    }),
  };
};

const typeOf = (schema: Schema): Prepared => {
  if (schema.type === 'integer') return { 'x-int': schema['x-int'] };
  if (schema.type === 'number') return { 'x-number': true };
  return schema.type === undefined ? {} : { type: schema.type };
};
