import type { Position } from '../../model/reach.ts';
import { type Schema, refTitle } from '../../model/schema.ts';
import { isWideKind } from '../../../runtime/int-kinds.ts';
import { docComment, literal, memberName } from '../../text.ts';

/** The TypeScript name of a titled schema in a position. */
export type NameOf = (title: string, position: Position) => string;

/** The TypeScript type of a schema; titled parts are named, the schema itself is written out. */
export const typeOf = (schema: Schema, position: Position, nameOf: NameOf): string => {
  const inner = (part: Schema): string =>
    part.$ref !== undefined
      ? nameOf(refTitle(part.$ref), position)
      : part.title !== undefined
        ? nameOf(part.title, position)
        : typeOf(part, position, nameOf);
  if (schema.$ref !== undefined) return inner(schema);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(inner))].join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum)
    return schema.enum
      .filter((value) => !schema.not?.enum?.includes(value))
      .map(literal)
      .join(' | ');
  switch (schema.type) {
    case 'null':
    case 'boolean':
    case 'number':
    case 'string':
      return schema.type;
    case 'integer':
      return integerType(schema, position);
    case 'array':
      return arrayType(schema, inner);
    case 'object':
      return objectType(schema, position, inner);
    case undefined:
      return 'unknown';
    default:
      return schema.type satisfies never;
  }
};

/** Integers that exceed 2^53: exact in results, either form in params. */
export const isWide = (schema: Schema): boolean =>
  schema['x-int'] !== undefined && isWideKind(schema['x-int']);

const integerType = (schema: Schema, position: Position): string =>
  !isWide(schema) ? 'number' : position === 'param' ? 'number | bigint' : 'bigint';

const arrayType = (schema: Schema, inner: (part: Schema) => string): string => {
  if (schema.prefixItems) return `readonly [${schema.prefixItems.map(inner).join(', ')}]`;
  const item = schema.items ? inner(schema.items) : 'unknown';
  return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
};

const objectType = (schema: Schema, position: Position, inner: (part: Schema) => string): string => {
  if (typeof schema.additionalProperties === 'object')
    return `{ readonly [key: string]: ${inner(schema.additionalProperties)} }`;
  if (schema['x-map']) return '{ readonly [key: string]: unknown }';
  const members = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const required = schema.required?.includes(name) ?? false;
    const orNull = position === 'param' && !required ? ' | null' : '';
    return `${docComment(part.description)}readonly ${memberName(name)}${required ? '' : '?'}: ${inner(part)}${orNull};\n`;
  });
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${members.join('')}}`;
};
