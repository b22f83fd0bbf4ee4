/** Turns the wide integers of a parsed result into bigint, whatever their size. Works in place. */
export type Decode = (value: unknown) => unknown;

/** The shape of a union branch: enough to distinguish it from the others. */
export type Shape =
  | { readonly types: readonly string[] }
  | { readonly values: readonly unknown[] }
  | {
      readonly required: readonly string[];
      readonly members: Readonly<Record<string, Shape>>;
      readonly closed: boolean;
    };

/** A wide integer. */
export const wide: Decode = (value) => (typeof value === 'number' ? BigInt(value) : value);

/** Nothing to decode. */
export const keep: Decode = (value) => value;

/** A decoder that is defined below. */
export const later =
  (decode: () => Decode): Decode =>
  (value) =>
    decode()(value);

/** Every item of an array. */
export const list =
  (item: Decode): Decode =>
  (value) =>
    Array.isArray(value) ? value.map((entry) => item(entry)) : value;

/** The items of an array by position. */
export const tuple =
  (...items: readonly Decode[]): Decode =>
  (value) =>
    Array.isArray(value) ? value.map((entry, index) => items[index]?.(entry) ?? entry) : value;

/** The members named, where they are present. */
export const members =
  (decoders: Readonly<Record<string, Decode>>): Decode =>
  (value) => {
    if (!isObject(value)) return value;
    for (const [name, decode] of Object.entries(decoders))
      if (Object.hasOwn(value, name)) value[name] = decode(value[name]);
    return value;
  };

/** Every member of a map. */
export const map =
  (member: Decode): Decode =>
  (value) => {
    if (!isObject(value)) return value;
    for (const name of Object.keys(value)) value[name] = member(value[name]);
    return value;
  };

/** The first branch whose shape matches. */
export const either =
  (...branches: readonly (readonly [Shape, Decode])[]): Decode =>
  (value) =>
    (branches.find(([shape]) => looksLike(value, shape))?.[1] ?? keep)(value);

const looksLike = (value: unknown, shape: Shape): boolean => {
  if ('types' in shape) return shape.types.includes(typeName(value));
  if ('values' in shape) return shape.values.includes(value);
  if (!isObject(value) || shape.required.some((name) => !Object.hasOwn(value, name))) return false;
  const known = Object.entries(shape.members).every(
    ([name, member]) => !Object.hasOwn(value, name) || looksLike(value[name], member),
  );
  return known && (!shape.closed || Object.keys(value).every((name) => Object.hasOwn(shape.members, name)));
};

const typeName = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
