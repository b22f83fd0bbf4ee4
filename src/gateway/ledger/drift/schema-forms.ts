import type { Schemas, SpecSchema } from './spec-schema.ts';

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** An object by its member names. */
export type Members = Readonly<Record<string, unknown>>;

/** The branches of a union that accept one JSON type. */
type Branches = {
  readonly forms: readonly SpecSchema[];
  /** True if more than one of them are objects, which their words distinguish. */
  readonly isTagged: boolean;
};

const NO_BRANCHES: Branches = { forms: [], isTagged: false };

/** Returns the JSON type of a parsed value. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'object' || type === 'string' || type === 'boolean') return type;
  return 'number';
}

/** True if a value is an object with members. */
export function isMembers(value: unknown): value is Members {
  return jsonTypeOf(value) === 'object';
}

/** The schemas of the specification, with references followed and unions sorted by JSON type, each computed once. */
export class SchemaForms {
  readonly #schemas: Schemas;
  readonly #branches = new WeakMap<SpecSchema, ReadonlyMap<JsonType, Branches>>();
  readonly #words = new WeakMap<SpecSchema, ReadonlySet<unknown>>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** Returns the schema, or the one that it refers to. @throws Error for an unresolvable reference. */
  resolve(schema: SpecSchema): SpecSchema {
    const reference = schema.$ref ?? schema.allOf?.[0].$ref;
    if (reference === undefined) return schema;
    const target = this.#schemas.get(reference);
    if (target === undefined) throw new Error(`unresolved ${reference}`);
    return this.resolve(target);
  }

  /** Returns the branches of a union, those of nested unions included, that accept a JSON type. */
  branches(union: SpecSchema, type: JsonType): Branches {
    const known = this.#branches.get(union);
    if (known !== undefined) return known.get(type) ?? NO_BRANCHES;
    const all = this.#flatten(union);
    const types: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];
    const sorted = types.map((each): readonly [JsonType, Branches] => {
      const forms = all.filter((form) => takesType(form, each));
      return [each, { forms, isTagged: each === 'object' && forms.length > 1 }];
    });
    this.#branches.set(union, new Map(sorted));
    return this.branches(union, type);
  }

  /** True if a schema accepts a JSON type. */
  takes(schema: SpecSchema, type: JsonType): boolean {
    const form = this.resolve(schema);
    return form.anyOf === undefined ? takesType(form, type) : this.branches(form, type).forms.length > 0;
  }

  /** Returns the values that a schema lists; undefined if it lists none. */
  words(schema: SpecSchema): ReadonlySet<unknown> | undefined {
    const form = this.resolve(schema);
    if (form.enum === undefined && form.const === undefined) return undefined;
    const known = this.#words.get(form);
    if (known !== undefined) return known;
    const words = new Set(form.enum ?? [form.const]);
    this.#words.set(form, words);
    return words;
  }

  #flatten(schema: SpecSchema): readonly SpecSchema[] {
    const form = this.resolve(schema);
    return form.anyOf === undefined ? [form] : form.anyOf.flatMap((branch) => this.#flatten(branch));
  }
}

function takesType({ type, enum: words, const: word }: SpecSchema, jsonType: JsonType): boolean {
  if (type !== undefined) return type === jsonType || (type === 'integer' && jsonType === 'number');
  if (words === undefined && word === undefined) return true;
  return (words ?? [word]).some((each) => jsonTypeOf(each) === jsonType);
}
