import type { Json, JsonObject } from '../json.ts';
import type { Schema } from './schema.ts';

export const TAGS = [
  'fees',
  'blockhash',
  'transactions',
  'cluster',
  'blocks',
  'accounts',
  'tokens',
  'service',
] as const;
export type Tag = (typeof TAGS)[number];

/** The groups of methods that an API key may be limited to. Subscriptions have a group of their own. */
export const METHOD_GROUPS = ['read', 'send'] as const;
type MethodGroup = (typeof METHOD_GROUPS)[number];

export type Param = {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: Schema;
};

export type Live = {
  readonly params?: readonly Json[];
  /** Expected members of the result; others are ignored. */
  readonly result?: Json;
  readonly error?: string;
  /** The context of the error's message and data, which a run checks too. */
  readonly context?: Readonly<Record<string, string | number | bigint>>;
  readonly setup?: Json;
};

export type Example = {
  readonly name: string;
  readonly params: readonly Json[];
  readonly result?: Json;
  readonly error?: string;
  /** The context of the error's message and data; only for errors that the checks of params do not find. */
  readonly context?: JsonObject;
  /** The first node version with this answer. */
  readonly 'x-since'?: string;
  readonly 'x-live'?: Live;
};

export type Span = {
  readonly from: string;
  readonly to: string;
  readonly maximum: number;
  readonly error: string;
};

/** A method file after the shape check. */
export type MethodFile = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly 'x-origin': 'given' | 'chosen';
  readonly 'x-group': MethodGroup;
  readonly 'x-cost': number;
  readonly 'x-cache': 'none' | 'slot' | 'immutable' | 'final';
  readonly 'x-retry'?: 'never';
  readonly 'x-served'?: 'gateway';
  readonly 'x-guard'?: true;
  readonly 'x-since'?: string;
  readonly 'x-answers'?: 'slot' | 'height' | 'epoch';
  readonly 'x-history'?: 'slot' | 'signature' | 'signatures' | 'address';
  readonly 'x-refused-in'?: Readonly<Record<string, string>>;
  readonly 'x-span'?: Span;
  readonly params?: readonly (Omit<Param, 'required'> & { readonly required?: boolean })[];
  readonly result: {
    readonly name: string;
    readonly description?: string;
    readonly 'x-context'?: true;
    readonly schema: Schema;
  };
  readonly errors?: readonly string[];
  readonly examples?: readonly Example[];
};

/** A method with its defaults filled in. `result.schema` is the wire form, including the context. */
export type Method = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly origin: 'given' | 'chosen';
  readonly group: MethodGroup;
  readonly cost: number;
  readonly cache: 'none' | 'slot' | 'immutable' | 'final';
  readonly retry: 'safe' | 'never';
  readonly served: 'upstream' | 'gateway';
  readonly guard: boolean;
  /** The first node version that has it, if not all do. */
  readonly since?: string;
  /** The form in which its answer states the node's progress; absent: none. */
  readonly answers?: 'context' | 'slot' | 'height' | 'epoch';
  /** The selector of the past that it reads: a slot (its first param), a signature, or an address, whose past has any age. */
  readonly history?: 'slot' | 'signature' | 'signatures' | 'address';
  readonly refusedIn: Readonly<Record<string, string>>;
  readonly params: readonly Param[];
  readonly minParams: number;
  readonly span?: Span;
  readonly result: { readonly name: string; readonly description?: string; readonly schema: Schema };
  readonly errors: readonly string[];
  readonly examples: readonly Example[];
};

/** The common part of methods and subscriptions: a callable name with checked params. */
export type Callable = Pick<
  Method,
  | 'name'
  | 'summary'
  | 'description'
  | 'origin'
  | 'since'
  | 'cost'
  | 'params'
  | 'minParams'
  | 'span'
  | 'errors'
  | 'refusedIn'
  | 'examples'
>;

/** Fills in the defaults of a method file. */
export const toMethod = (file: MethodFile, normalize: (schema: Schema) => Schema): Method => {
  const params = toParams(file.params, normalize);
  const { name, description, schema } = file.result;
  return {
    name: file.name,
    summary: file.summary,
    ...(file.description !== undefined && { description: file.description }),
    tag: file.tags[0],
    origin: file['x-origin'],
    group: file['x-group'],
    cost: file['x-cost'],
    cache: file['x-cache'],
    retry: file['x-retry'] ?? 'safe',
    served: file['x-served'] ?? 'upstream',
    guard: file['x-guard'] ?? false,
    ...(file['x-since'] !== undefined && { since: file['x-since'] }),
    ...answersOf(file),
    ...(file['x-history'] !== undefined && { history: file['x-history'] }),
    refusedIn: file['x-refused-in'] ?? {},
    params,
    minParams: params.filter((param) => param.required).length,
    ...(file['x-span'] && { span: file['x-span'] }),
    result: {
      name,
      ...(description !== undefined && { description }),
      schema: file.result['x-context'] ? withContext(normalize(schema)) : normalize(schema),
    },
    errors: file.errors ?? [],
    examples: file.examples ?? [],
  };
};

const answersOf = ({ result, 'x-answers': own }: MethodFile): Pick<Method, 'answers'> => {
  const answers = result['x-context'] ? 'context' : own;
  return answers === undefined ? {} : { answers };
};

/** Params as written, with their defaults filled in. */
export const toParams = (
  params: MethodFile['params'],
  normalize: (schema: Schema) => Schema,
): readonly Param[] =>
  (params ?? []).map((param) => ({
    ...param,
    required: param.required ?? false,
    schema: normalize(param.schema),
  }));

const withContext = (value: Schema): Schema => ({
  type: 'object',
  required: ['context', 'value'],
  additionalProperties: false,
  properties: { context: { $ref: '#/components/schemas/Context' }, value },
});
