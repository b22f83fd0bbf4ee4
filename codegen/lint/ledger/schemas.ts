import type { Schema } from '../../model/schema.ts';
import { INT_BOUNDS } from '../../../runtime/int-kinds.ts';
import type { Problem } from '../../problem.ts';
import { finding, type LocatedSchema, type Rule } from './rule.ts';

/** Checks the required keywords of each schema: members, closedness, integer kinds, errors of limits. */
export const checkSchemas: Rule = ({ parts }) => parts.flatMap(checkPart);

/** Checks one part. */
export const checkPart = (part: LocatedSchema): readonly Problem[] => {
  const { schema } = part;
  const report = (message: string, keyword?: string): Problem =>
    finding(
      'schemas',
      { ...part, pointer: keyword === undefined ? part.pointer : `${part.pointer}/${keyword}` },
      message,
    );
  const has = (keyword: string): boolean => keyword in schema;
  return [
    ...(schema.type === 'integer' && !has('x-int') ? [report('an integer needs x-int')] : []),
    ...(schema.type !== 'integer' && has('x-int') ? [report('x-int requires type: integer', 'x-int')] : []),
    ...(schema.type !== 'string' && has('x-base58')
      ? [report('x-base58 requires type: string', 'x-base58')]
      : []),
    ...(schema.type !== 'integer' && has('x-versions')
      ? [report('x-versions requires type: integer', 'x-versions')]
      : []),
    ...(schema.type === 'array' && !has('items') && !has('prefixItems')
      ? [report('an array needs items')]
      : []),
    ...(schema.type === 'object' && !has('properties') && !has('x-map')
      ? [report('an object needs properties (or x-map)')]
      : []),
    ...(has('x-map') && !schema.additionalProperties
      ? [report('x-map needs additionalProperties: <schema>', 'x-map')]
      : []),
    ...(typeof schema.additionalProperties === 'object' && !has('x-map')
      ? [report('a map needs x-map', 'additionalProperties')]
      : []),
    ...(has('x-tagged') && !schema.anyOf ? [report('x-tagged requires anyOf', 'x-tagged')] : []),
    ...(isEmpty(schema) ? [report('a schema needs $ref, type, anyOf, enum or const')] : []),
    ...unknownRequired(schema).map((name) =>
      report(`required member ${name} is not among the properties`, 'required'),
    ),
    ...errorsWithoutKeyword(schema).map((keyword) =>
      report(`the schema has no ${keyword}`, `x-errors/${keyword}`),
    ),
    ...boundsOfKind(schema).map((keyword) => report(`x-int: ${schema['x-int']} already implies it`, keyword)),
  ];
};

const isEmpty = (schema: Schema): boolean =>
  !['$ref', 'type', 'anyOf', 'enum', 'const'].some((keyword) => keyword in schema);

const unknownRequired = ({ required = [], properties }: Schema): readonly string[] =>
  properties ? required.filter((name) => !Object.hasOwn(properties, name)) : [];

const errorsWithoutKeyword = (schema: Schema): readonly string[] =>
  Object.keys(schema['x-errors'] ?? {}).filter((keyword) => !(keyword in schema));

/** Bounds that the integer kind already implies. */
const boundsOfKind = ({ minimum, maximum, 'x-int': kind }: Schema): readonly string[] => {
  if (kind === undefined) return [];
  const [low, high] = INT_BOUNDS[kind];
  return [
    ...(minimum !== undefined && minimum <= low ? ['minimum'] : []),
    ...(maximum !== undefined && maximum >= high ? ['maximum'] : []),
  ];
};
