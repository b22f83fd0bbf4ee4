import type { Json } from '../json.ts';
import type { Callable } from '../model/method.ts';
import type { Hop, ParamPart } from '../model/param-parts.ts';
import { resolve, type Schema, type Schemas } from '../model/schema.ts';

type Values = readonly Json[];

/** The params of a method that the contract starts from: those of its first successful example, or of its first. */
export const baseParams = (method: Callable): Values => {
  const example = method.examples.find(({ error }) => error === undefined) ?? method.examples[0];
  return example?.['x-live']?.params ?? example?.params ?? [];
};

/** The params with another value at a part; missing containers on the way are created as small as possible. */
export const withValueAt = (
  base: Values,
  part: ParamPart,
  value: Json,
  method: Callable,
  schemas: Schemas,
): Values => {
  const length = Math.max(base.length, part.index + 1);
  return Array.from({ length }, (_, index) => {
    const present =
      base[index] ?? (method.params[index]?.required ? sampleOf(method.params[index].schema, schemas) : null);
    return index === part.index ? put(present, part.hops, value, schemas) : present;
  });
};

/** The value at a part, if the params have it. */
export const valueAt = (base: Values, part: ParamPart): Json | undefined =>
  part.hops.reduce<Json | undefined>((value, { step }) => memberOf(value, step), base[part.index]);

const memberOf = (value: Json | undefined, step: string | number): Json | undefined =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string | number, Json>>)[step]
    : undefined;

const put = (present: Json | undefined, hops: readonly Hop[], value: Json, schemas: Schemas): Json => {
  const [hop, ...rest] = hops;
  if (!hop) return value;
  const inner = put(memberOf(present, hop.step), rest, value, schemas);
  if (typeof hop.step === 'number') return [inner];
  const kept = isMember(present) && isOf(hop.container, present) ? present : sampleOf(hop.container, schemas);
  return { ...(isMember(kept) ? kept : {}), [hop.step]: inner };
};

/** In a union the value may belong to another branch. */
const isOf = ({ required = [] }: Schema, value: Readonly<Record<string, Json>>): boolean =>
  required.every((name) => Object.hasOwn(value, name));

const isMember = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The smallest value that fits a params schema. */
export const sampleOf = (written: Schema, schemas: Schemas): Json => {
  const schema = resolve(written, schemas);
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0], schemas);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => !schema.not?.enum?.includes(value)) ?? null;
  switch (schema.type) {
    case 'string':
      return '1'.repeat(schema['x-base58'] ?? schema.minLength ?? 1);
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        schema.items ? sampleOf(schema.items, schemas) : null,
      );
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          schema.properties?.[name] ? sampleOf(schema.properties[name], schemas) : null,
        ]),
      );
    default:
      return null;
  }
};
