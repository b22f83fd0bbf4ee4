import type { Definitions, ResultSchema } from './result-schema.ts';

type Visit = (id: string, schema: ResultSchema, value: unknown) => void;

/**
 * The branches below a schema: sides of a union (`Title.member/branch`), non-null sides of nullable values, and optional members
 * (`Title.member?`). They are named from the nearest schema title, so that a shared schema counts once.
 */
export const listBranches = (
  schema: ResultSchema,
  definitions: Definitions,
  name: string,
): readonly string[] => {
  const found = new Set<string>();
  const seen = new Set<ResultSchema>();
  const walk = (part: ResultSchema, path: string): void => {
    const { target, at } = settle(part, path, definitions);
    if (seen.has(target)) return;
    seen.add(target);
    const sides = sidesOf(target, at, definitions);
    for (const [id, side] of sides) {
      if (sides.length > 1 || isNullable(target)) found.add(id);
      walk(side, id);
    }
    for (const [id, member, optional] of partsOf(target, at)) {
      if (optional) found.add(`${id}?`);
      walk(member, id);
    }
  };
  walk(schema, name);
  return [...found].sort();
};

/** The branches that a value contains, by the same names. The value must fit the schema. */
export const seenBranches = (
  schema: ResultSchema,
  value: unknown,
  definitions: Definitions,
  name: string,
): Set<string> => {
  const found = new Set<string>();
  const walk: Visit = (path, part, data) => {
    const { target, at } = settle(part, path, definitions);
    const sides = sidesOf(target, at, definitions);
    for (const [id, side] of sides) {
      if (!fits(side, data, definitions)) continue;
      if (sides.length > 1 || isNullable(target)) found.add(id);
      walk(id, side, data);
    }
    for (const [id, member, optional, step] of partsOf(target, at)) {
      for (const item of valuesAt(data, step)) {
        if (optional) found.add(`${id}?`);
        walk(id, member, item);
      }
    }
  };
  walk(name, schema, value);
  return found;
};

/** A step from a value to its parts: a member, every member, an item, every item. */
type Step = { readonly member: string } | { readonly item: number } | 'members' | 'items';

/** The schema that a reference resolves to, and the path it is named by. */
const settle = (
  part: ResultSchema,
  path: string,
  definitions: Definitions,
): { target: ResultSchema; at: string } => {
  if (part.$ref === undefined) return { target: part, at: part.title ?? path };
  const title = part.$ref.slice('#/$defs/'.length);
  const target = definitions[title];
  if (!target) throw new Error(`no definition of ${title}`);
  return target.$ref === undefined ? { target, at: title } : settle(target, title, definitions);
};

const isNull = (schema: ResultSchema): boolean => schema.type === 'null';
const isNullable = ({ anyOf = [] }: ResultSchema): boolean => anyOf.some(isNull);

/** The sides of a union that are not null, each with its name. */
const sidesOf = (
  { anyOf = [] }: ResultSchema,
  at: string,
  definitions: Definitions,
): readonly (readonly [string, ResultSchema])[] => {
  const labels = anyOf.map((side) => labelOf(side, definitions));
  return anyOf
    .map(
      (side, index) =>
        [
          `${at}/${labels.indexOf(labels[index] ?? '') === index ? labels[index] : `${labels[index]}${index}`}`,
          side,
        ] as const,
    )
    .filter(([, side]) => !isNull(side));
};

/** A side is named after its title, the single value of its tag member, its only member, or its type. */
const labelOf = (side: ResultSchema, definitions: Definitions): string => {
  if (side.$ref !== undefined) return side.$ref.slice('#/$defs/'.length);
  if (side.title !== undefined) return side.title;
  const telling = Object.values(side.properties ?? {})
    .map((member) => singleValue(member, definitions))
    .find((value) => value !== undefined);
  if (telling !== undefined) return telling;
  if (side.required?.length === 1) return side.required[0] ?? 'object';
  return singleValue(side, definitions) ?? side.type ?? 'any';
};

const singleValue = (schema: ResultSchema, definitions: Definitions): string | undefined => {
  const { enum: allowed, const: value } = settle(schema, '', definitions).target;
  if (value !== undefined) return String(value);
  return allowed?.length === 1 ? String(allowed[0]) : undefined;
};

const partsOf = (
  schema: ResultSchema,
  at: string,
): readonly (readonly [string, ResultSchema, boolean, Step])[] => [
  ...Object.entries(schema.properties ?? {}).map(
    ([name, member]) =>
      [`${at}.${name}`, member, !schema.required?.includes(name), { member: name }] as const,
  ),
  ...(schema.prefixItems ?? []).map(
    (item, index) => [`${at}[${index}]`, item, false, { item: index }] as const,
  ),
  ...(typeof schema.items === 'object' ? [[`${at}[]`, schema.items, false, 'items'] as const] : []),
  ...(typeof schema.additionalProperties === 'object'
    ? [[`${at}{}`, schema.additionalProperties, false, 'members'] as const]
    : []),
];

const valuesAt = (data: unknown, step: Step): readonly unknown[] => {
  if (Array.isArray(data)) {
    if (step === 'items') return data;
    return typeof step === 'object' && 'item' in step && step.item < data.length ? [data[step.item]] : [];
  }
  if (!isObject(data)) return [];
  if (step === 'members') return Object.values(data);
  return typeof step === 'object' && 'member' in step && Object.hasOwn(data, step.member)
    ? [data[step.member]]
    : [];
};

/** True when a value has the form of a schema: types, members, values. Bounds are not checked. */
export const fits = (schema: ResultSchema, data: unknown, definitions: Definitions): boolean => {
  const { target } = settle(schema, '', definitions);
  if (target.anyOf && !target.anyOf.some((side) => fits(side, data, definitions))) return false;
  if (target.enum && !target.enum.includes(data)) return false;
  if (target.const !== undefined && target.const !== data) return false;
  if (target.pattern !== undefined && typeof data === 'string' && !new RegExp(target.pattern, 'u').test(data))
    return false;
  if (target.type !== undefined && !hasType(data, target.type)) return false;
  return Array.isArray(data)
    ? itemsFit(target, data, definitions)
    : !isObject(data) || membersFit(target, data, definitions);
};

const hasType = (data: unknown, type: string): boolean => {
  if (type === 'null') return data === null;
  if (type === 'array') return Array.isArray(data);
  if (type === 'object') return isObject(data);
  if (type === 'integer') return typeof data === 'bigint' || Number.isInteger(data);
  if (type === 'number') return typeof data === 'number' || typeof data === 'bigint';
  return typeof data === type;
};

const itemsFit = (
  { items, prefixItems }: ResultSchema,
  data: readonly unknown[],
  definitions: Definitions,
): boolean => {
  if (prefixItems)
    return (
      data.length === prefixItems.length &&
      prefixItems.every((item, index) => fits(item, data[index], definitions))
    );
  return typeof items !== 'object' || data.every((item) => fits(items, item, definitions));
};

const membersFit = (
  schema: ResultSchema,
  data: Readonly<Record<string, unknown>>,
  definitions: Definitions,
): boolean => {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  return (
    required.every((name) => Object.hasOwn(data, name)) &&
    Object.entries(data).every(([name, member]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return typeof known === 'object' ? fits(known, member, definitions) : known;
    })
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
