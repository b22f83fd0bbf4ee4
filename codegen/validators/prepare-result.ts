import { reachedFrom } from '../model/reach.ts';
import { refTitle, type Schema, type Schemas } from '../model/schema.ts';
import { type Prepared, typeKeyword } from './keywords.ts';

/** What a result validator is compiled from: the schema and, under `$defs`, every schema it reaches. */
export const prepareResult = (schema: Schema, schemas: Schemas): Prepared => {
  const reached = reachedFrom(schema, schemas);
  const defs = Object.fromEntries([...reached].map(([title, target]) => [title, prepareShared(target)]));
  return { ...prepareShared(schema), ...(reached.size > 0 && { $defs: defs }) };
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

/** A result schema without the definitions, for validators that share them. */
export const prepareShared = (schema: Schema): Prepared => {
  if (schema.$ref !== undefined) return { $ref: `#/$defs/${refTitle(schema.$ref)}` };
  const kept = Object.fromEntries(
    KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  );
  const { properties, prefixItems, items, anyOf, additionalProperties, minimum, maximum } = schema;
  return {
    ...typeKeyword(schema),
    ...kept,
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, prepareShared(part)]),
      ),
    }),
    ...(prefixItems && {
      items: prefixItems.map(prepareShared),
      minItems: schema.minItems ?? prefixItems.length,
      additionalItems: items !== false && items !== undefined,
    }),
    ...(!prefixItems && items && { items: prepareShared(items) }),
    ...(anyOf && { anyOf: anyOf.map(prepareShared) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? prepareShared(additionalProperties) : additionalProperties,
    }),
  };
};
