import { childSchemas, refTitle, resolve } from '../model/schema.ts';
import type { RestSchema, RestSchemas } from '../model/rest/schema.ts';
import { excluded } from '../render/rest/document.ts';
import { sharedRef } from '../../runtime/lazy-validators.ts';
import type { Prepared } from '../../runtime/value-keywords.ts';

const KEPT = [
  'type',
  'enum',
  'const',
  'required',
  'additionalProperties',
  'minimum',
  'maximum',
  'minLength',
  'minItems',
  'maxItems',
  'default',
  'x-base58',
  'x-well-formed',
  'x-printable',
] as const;

/** The input of a schema's validator: references are inlined, our dialect becomes keywords with code. */
export const prepareBody = (written: RestSchema, schemas: RestSchemas): Prepared =>
  prepare(resolve(written, schemas), (child) => prepareBody(child, schemas));

/**
 * The same for answers, with references to definitions that validators share. Texts of answers may be older than today's rules for
 * printable text.
 */
export const prepareSharing = (schema: RestSchema): Prepared => {
  const { $ref, 'x-printable': _printable, ...beside } = schema;
  return {
    ...($ref !== undefined && { $ref: sharedRef(refTitle($ref)) }),
    ...prepare(beside, prepareSharing),
  };
};

const prepare = (schema: RestSchema, inner: (child: RestSchema) => Prepared): Prepared => {
  const { 'x-last-index': range, 'x-conflicts': conflicts } = schema;
  return {
    ...Object.fromEntries(
      KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
    ),
    ...(schema.maxLength !== undefined && { 'x-max-chars': schema.maxLength }),
    ...(schema.pattern !== undefined &&
      !schema['x-guard'] &&
      !schema['x-printable'] && { pattern: schema.pattern }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, inner(member)]),
      ),
    }),
    ...(schema.items && { items: inner(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    // Ajv's name for dependentRequired in the draft that its default class speaks.
    ...(schema.dependentRequired && { dependencies: schema.dependentRequired }),
    ...(conflicts && { allOf: conflicts.map(excluded) }),
    ...(range && { 'x-last-index': { ...range, maximum: schema.properties?.[range.from]?.maximum } }),
  };
};

/** JSON pointers of the secret members of a body. Bodies have no lists. */
export const secretPointers = (written: RestSchema, schemas: RestSchemas, at = ''): readonly string[] => {
  const schema: RestSchema = resolve(written, schemas);
  if (schema['x-secret']) return [at];
  return childSchemas(schema).flatMap(([steps, child]) =>
    steps[0] === 'properties' ? secretPointers(child, schemas, `${at}/${String(steps[1])}`) : [],
  );
};
