import type { Json } from '../json.ts';
import type { IntKind } from '../../runtime/int-kinds.ts';

/** A schema of the spec dialect. In the model `$ref` is `#/components/schemas/<title>`. */
export type Schema = {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: false | Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly 'x-int'?: IntKind;
  readonly 'x-base58'?: number;
  readonly 'x-expected'?: string;
  readonly 'x-errors'?: Readonly<Record<string, string | readonly [string, string]>>;
  readonly 'x-lenient'?: Readonly<Record<string, string>>;
  readonly 'x-map'?: true;
  readonly 'x-tagged'?: true;
  /** The first node version that knows the part; or, by keyword, the first that enforces a limit of it. */
  readonly 'x-since'?: string | Readonly<Record<string, string>>;
  readonly 'x-fallback'?: Fallback;
  readonly 'x-versions'?: readonly number[];
};

/** The ways in which the gateway compensates for older nodes. */
export const FALLBACKS = ['context', 'slice'] as const;
export type Fallback = (typeof FALLBACKS)[number];

export type Schemas = ReadonlyMap<string, Schema>;

/** Nodes have one error for both bounds, which names the upper one. */
export const hasOneErrorForBoth = ({ 'x-errors': errors }: Schema): boolean =>
  errors?.minimum === errors?.maximum;

const REF_PREFIX = '#/components/schemas/';

/** The reference to a schema by its title. */
export const refTo = (title: string): string => `${REF_PREFIX}${title}`;

/** The title that a reference names. */
export const refTitle = (ref: string): string => ref.slice(REF_PREFIX.length);

/** The schemas directly below one schema, each with its steps. */
export const childSchemas = (
  schema: Schema,
): readonly (readonly [readonly (string | number)[], Schema])[] => [
  ...Object.entries(schema.properties ?? {}).map(([name, child]) => [['properties', name], child] as const),
  ...(schema.prefixItems ?? []).map((child, index) => [['prefixItems', index], child] as const),
  ...(schema.items ? [[['items'], schema.items] as const] : []),
  ...(schema.anyOf ?? []).map((child, index) => [['anyOf', index], child] as const),
  ...(typeof schema.additionalProperties === 'object'
    ? [[['additionalProperties'], schema.additionalProperties] as const]
    : []),
];

/** Rebuilds a schema: every child, then the schema itself, passes through `change`. */
export const mapSchema = (schema: Schema, change: (schema: Schema) => Schema): Schema => {
  const inner = (child: Schema): Schema => mapSchema(child, change);
  return change({
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, child]) => [name, inner(child)]),
      ),
    }),
    ...(schema.prefixItems && { prefixItems: schema.prefixItems.map(inner) }),
    ...(schema.items && { items: inner(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    ...(typeof schema.additionalProperties === 'object' && {
      additionalProperties: inner(schema.additionalProperties),
    }),
  });
};

/** The schema itself, or the referenced one with the annotations next to the reference on top. */
export const resolve = (schema: Schema, schemas: Schemas): Schema => {
  if (schema.$ref === undefined) return schema;
  const target = schemas.get(refTitle(schema.$ref));
  if (!target) throw new Error(`unresolved ${schema.$ref}`);
  const { $ref: _, ...beside } = schema;
  return resolve({ ...target, ...beside }, schemas);
};
