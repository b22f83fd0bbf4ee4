import type { IntKind } from './int-kinds.ts';
import { createLazyValidators, sharedRef, type Validator } from './lazy-validators.ts';
import { type Prepared, typeKeyword } from './value-keywords.ts';

/** The schema of a result, or of a subscription's notifications. References end in `/<title>`. */
export type ResultSchema = {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, ResultSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ResultSchema;
  readonly items?: boolean | ResultSchema;
  readonly prefixItems?: readonly ResultSchema[];
  readonly anyOf?: readonly ResultSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly 'x-int'?: IntKind;
  readonly 'x-base58'?: number;
};

/** Schemas by title. */
export type Definitions = Readonly<Record<string, ResultSchema>>;

/** Creates validators of values read by `parseJson`: integers may be bigint. */
export const createResultValidators = (definitions: Definitions): ((schema: ResultSchema) => Validator) => {
  const prepared = Object.fromEntries(
    Object.entries(definitions).map(([title, schema]) => [title, prepareResult(schema, sharedRef)]),
  );
  const validatorOf = createLazyValidators(prepared, { allErrors: false });
  return (schema) => validatorOf(prepareResult(schema, sharedRef));
};

const KEPT = [
  'enum',
  'const',
  'required',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'x-base58',
] as const;

/** Turns a schema into the input of a validator's compilation; `refTo` gives the reference to a definition. */
export const prepareResult = (schema: ResultSchema, refTo: (title: string) => string): Prepared => {
  if (schema.$ref !== undefined) return { $ref: refTo(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)) };
  const prepare = (part: ResultSchema): Prepared => prepareResult(part, refTo);
  const kept = Object.fromEntries(
    KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  );
  const { properties, prefixItems, items, anyOf, additionalProperties, minimum, maximum } = schema;
  return {
    ...typeKeyword(schema),
    ...kept,
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, prepare(part)])),
    }),
    ...(prefixItems && {
      items: prefixItems.map(prepare),
      minItems: schema.minItems ?? prefixItems.length,
      additionalItems: items !== false && items !== undefined,
    }),
    ...(!prefixItems && typeof items === 'object' && { items: prepare(items) }),
    ...(anyOf && { anyOf: anyOf.map(prepare) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? prepare(additionalProperties) : additionalProperties,
    }),
  };
};
