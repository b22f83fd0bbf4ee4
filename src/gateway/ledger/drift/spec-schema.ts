import { ERRORS } from '../../../../generated/errors.ts';

/** The parts of a specification schema that checks use. */
export type SpecSchema = {
  readonly $ref?: string;
  /** A reference with annotations: in draft-07 nothing may stand next to a `$ref`. */
  readonly allOf?: readonly [{ readonly $ref: string }];
  readonly type?: 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SpecSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SpecSchema;
  /** A list's items: for a tuple, one schema per item in order (draft-07). */
  readonly items?: SpecSchema | readonly SpecSchema[];
  /** For a tuple: the schema of further items. */
  readonly additionalItems?: boolean | SpecSchema;
  readonly anyOf?: readonly SpecSchema[];
  readonly 'x-versions'?: readonly number[];
};

/** Returns the schemas of a list's items: those of a tuple in order, and that of the rest; `false`: there is no rest. */
export function itemsOf({ items, additionalItems }: SpecSchema): {
  readonly tuple?: readonly SpecSchema[];
  readonly rest?: boolean | SpecSchema | undefined;
} {
  return isTuple(items) ? { tuple: items, rest: additionalItems } : { rest: items };
}

/** Array.isArray does not narrow readonly arrays. */
function isTuple(items: SpecSchema['items']): items is readonly SpecSchema[] {
  return Array.isArray(items);
}

/** Schemas by the reference that names them. */
export type Schemas = ReadonlyMap<string, SpecSchema>;

/** The messages that a node may send, by the specification. */
export type AnswerSpec = {
  /** The result of each method and of each subscribe and unsubscribe call. */
  readonly results: ReadonlyMap<string, SpecSchema>;
  /** The `params` of each notification. */
  readonly notifications: ReadonlyMap<string, SpecSchema>;
  /** The codes of node errors, with the schema of their data where that is fixed. */
  readonly errors: ReadonlyMap<number, SpecSchema | undefined>;
  readonly schemas: Schemas;
};

type Sent = { readonly name: string; readonly schema: SpecSchema };

/** The parts of the OpenRPC document that are read. */
type Document = {
  readonly methods: readonly (Pick<Sent, 'name'> & {
    readonly result: Sent;
    readonly 'x-subscription'?: { readonly notification: Sent };
  })[];
  readonly components: { readonly schemas: Readonly<Record<string, SpecSchema>> };
  readonly 'x-gap-notification': Sent;
  readonly 'x-error-data': Readonly<Record<string, SpecSchema>>;
};

/** Areas of errors that a ledger node answers; the others belong to the gateway and other services. */
const NODE_AREAS: ReadonlySet<string> = new Set(['envelope', 'params', 'ledger']);

/** Reads the ledger's OpenRPC document. */
export function parseAnswerSpec(text: string): AnswerSpec {
  const document = JSON.parse(text) as Document;
  const { methods, components } = document;
  const subscriptions = methods.flatMap((method) => method['x-subscription'] ?? []);
  const gap = document['x-gap-notification'];
  return {
    results: new Map(methods.map(({ name, result }) => [name, result.schema])),
    notifications: new Map([
      ...subscriptions.map(({ notification }) => [notification.name, paramsOf(notification)] as const),
      [gap.name, gap.schema],
    ]),
    errors: nodeErrors(document['x-error-data']),
    schemas: new Map(
      Object.entries(components.schemas).map(([title, schema]) => [`#/components/schemas/${title}`, schema]),
    ),
  };
}

function paramsOf({ schema }: Sent): SpecSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: { result: schema, subscription: { type: 'integer' } },
  };
}

/** Where the data is not fixed, no member counts as unknown. */
function nodeErrors(data: Readonly<Record<string, SpecSchema>>): ReadonlyMap<number, SpecSchema | undefined> {
  const errors = new Map<number, SpecSchema | undefined>();
  for (const [name, { area, jsonrpc }] of Object.entries<ErrorEntry>(ERRORS)) {
    if (jsonrpc === undefined || !NODE_AREAS.has(area)) continue;
    const schema = data[name];
    errors.set(jsonrpc.code, errors.get(jsonrpc.code) ?? (schema?.$ref === undefined ? undefined : schema));
  }
  return errors;
}

type ErrorEntry = { readonly area: string; readonly jsonrpc?: { readonly code: number } };
