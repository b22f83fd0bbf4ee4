import type { Schemas, SpecSchema } from './spec-schema.ts';

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** Objects by what their members are called. */
export type Members = Readonly<Record<string, unknown>>;

/** The branches of a union that take one JSON type. */
type Branches = {
  readonly forms: readonly SpecSchema[];
  /** Whether more than one of them are objects: their words tell them apart. */
  readonly isTagged: boolean;
};

const NO_BRANCHES: Branches = { forms: [], isTagged: false };

/** The JSON type of a parsed value. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'object' || type === 'string' || type === 'boolean') return type;
  return 'number';
}

/** Whether a value is an object with members. */
export function isMembers(value: unknown): value is Members {
  return jsonTypeOf(value) === 'object';
}

/** The schemas of the specification, with references followed and unions sorted by JSON type, each once. */
export class SchemaForms {
  readonly #schemas: Schemas;
  readonly #branches = new WeakMap<SpecSchema, ReadonlyMap<JsonType, Branches>>();
  readonly #words = new WeakMap<SpecSchema, ReadonlySet<unknown>>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** The schema, or the one that it refers to. @throws Error for a reference that leads nowhere. */
  resolve(schema: SpecSchema): SpecSchema {
    const reference = schema.$ref ?? schema.allOf?.[0].$ref;
    if (reference === undefined) return schema;
    const target = this.#schemas.get(reference);
    if (target === undefined) throw new Error(`unresolved ${reference}`);
    return this.resolve(target);
  }

  /** The branches of a union, those of unions inside it included, that take a JSON type. */
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

  /** Whether a schema takes a JSON type. */
  takes(schema: SpecSchema, type: JsonType): boolean {
    const form = this.resolve(schema);
    return form.anyOf === undefined ? takesType(form, type) : this.branches(form, type).forms.length > 0;
  }

  /** The values that a schema lists; undefined if it lists none. */
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
