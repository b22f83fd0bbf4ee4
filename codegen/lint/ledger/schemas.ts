import type { Schema } from '../../model/schema.ts';
import { INT_BOUNDS } from '../../../runtime/int-kinds.ts';
import type { Problem } from '../../problem.ts';
import { finding, type PlacedSchema, type Rule } from './rule.ts';

/** What each schema must say: members, closedness, integer kinds, errors of limits. */
export const checkSchemas: Rule = ({ parts }) => parts.flatMap(checkPart);

/** The same for one part. */
export const checkPart = (part: PlacedSchema): readonly Problem[] => {
  const { schema } = part;
  const tell = (message: string, keyword?: string): Problem =>
    finding(
      'schemas',
      { ...part, pointer: keyword === undefined ? part.pointer : `${part.pointer}/${keyword}` },
      message,
    );
  const has = (keyword: string): boolean => keyword in schema;
  return [
    ...(schema.type === 'integer' && !has('x-int') ? [tell('an integer needs x-int')] : []),
    ...(schema.type !== 'integer' && has('x-int') ? [tell('x-int stands with type: integer', 'x-int')] : []),
    ...(schema.type !== 'string' && has('x-base58')
      ? [tell('x-base58 stands with type: string', 'x-base58')]
      : []),
    ...(schema.type !== 'integer' && has('x-versions')
      ? [tell('x-versions stands with type: integer', 'x-versions')]
      : []),
    ...(schema.type === 'array' && !has('items') && !has('prefixItems')
      ? [tell('an array needs items')]
      : []),
    ...(schema.type === 'object' && !has('properties') && !has('x-map')
      ? [tell('an object needs properties (or x-map)')]
      : []),
    ...(has('x-map') && !schema.additionalProperties
      ? [tell('x-map needs additionalProperties: <schema>', 'x-map')]
      : []),
    ...(typeof schema.additionalProperties === 'object' && !has('x-map')
      ? [tell('a map needs x-map', 'additionalProperties')]
      : []),
    ...(has('x-tagged') && !schema.anyOf ? [tell('x-tagged stands with anyOf', 'x-tagged')] : []),
    ...(isEmpty(schema) ? [tell('a schema needs $ref, type, anyOf, enum or const')] : []),
    ...unknownRequired(schema).map((name) =>
      tell(`required member ${name} is not among the properties`, 'required'),
    ),
    ...errorsWithoutKeyword(schema).map((keyword) =>
      tell(`there is no ${keyword} here`, `x-errors/${keyword}`),
    ),
    ...boundsOfKind(schema).map((keyword) => tell(`x-int: ${schema['x-int']} already says so`, keyword)),
  ];
};

const isEmpty = (schema: Schema): boolean =>
  !['$ref', 'type', 'anyOf', 'enum', 'const'].some((keyword) => keyword in schema);

const unknownRequired = ({ required = [], properties }: Schema): readonly string[] =>
  properties ? required.filter((name) => !Object.hasOwn(properties, name)) : [];

const errorsWithoutKeyword = (schema: Schema): readonly string[] =>
  Object.keys(schema['x-errors'] ?? {}).filter((keyword) => !(keyword in schema));

/** A bound that the integer kind implies is said twice. */
const boundsOfKind = ({ minimum, maximum, 'x-int': kind }: Schema): readonly string[] => {
  if (kind === undefined) return [];
  const [low, high] = INT_BOUNDS[kind];
  return [
    ...(minimum !== undefined && minimum <= low ? ['minimum'] : []),
    ...(maximum !== undefined && maximum >= high ? ['maximum'] : []),
  ];
};
