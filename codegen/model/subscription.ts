import type { Json, JsonObject } from '../json.ts';
import { type Callable, type Live, type MethodFile, type Param, toParams } from './method.ts';
import { refTo, type Schema } from './schema.ts';

/** The replacement of notifications that were lost with the connection to the node, once it is back. */
export const REFILLS = ['state', 'status', 'blocks', 'none'] as const;
export type Refill = (typeof REFILLS)[number];

/** A call of a subscription with its reply and notifications, or the error that refuses it. */
export type SubscriptionExample = {
  readonly name: string;
  readonly params: readonly Json[];
  readonly result?: Json;
  readonly notifications?: readonly Json[];
  readonly error?: string;
  readonly context?: JsonObject;
  /** `by`: the event that a contract run triggers for a notification. `notification`: expected members of each. */
  readonly 'x-live'?: Omit<Live, 'setup'> & {
    readonly by?: Provocation;
    readonly notification?: Json;
  };
};

/** Triggers: time; time, under Tower BFT only; or transfers between two accounts, a legacy one and one of version 1. */
export const PROVOCATIONS = ['time', 'tower', 'transfer'] as const;
type Provocation = (typeof PROVOCATIONS)[number];

/** The name and the content of a notification. */
type Notification = { readonly name: string; readonly description?: string; readonly schema: Schema };

/** A subscription file after the shape check. */
export type SubscriptionFile = Pick<
  MethodFile,
  'name' | 'summary' | 'description' | 'x-origin' | 'x-since' | 'x-cost' | 'params' | 'errors'
> & {
  readonly unsubscribe: string;
  readonly 'x-refill': Refill;
  readonly 'x-congested'?: 'latest';
  readonly 'x-ends-itself'?: readonly string[];
  readonly 'x-nodes'?: 'some';
  readonly notification: Notification & { readonly 'x-context'?: true };
  readonly examples?: readonly SubscriptionExample[];
};

/** ledger/subscriptions.yaml: the common parts of all subscriptions, after the shape check. */
export type CommonFile = {
  readonly reply: Notification;
  readonly unsubscribe: {
    readonly summary: string;
    readonly description?: string;
    readonly 'x-cost': number;
    readonly params: NonNullable<MethodFile['params']>;
    readonly result: Notification;
    readonly errors: readonly string[];
    readonly examples: readonly SubscriptionExample[];
  };
  readonly gap: Notification & { readonly examples: readonly Json[] };
  readonly errors: readonly string[];
};

/** A subscription with its defaults filled in. `notification.schema` is the form of `params.result`, including the context. */
export type Subscription = Omit<Callable, 'examples'> & {
  readonly unsubscribe: string;
  readonly refill: Refill;
  /** The queue of a slow reader: the latest notification only, or all up to a limit. */
  readonly congested: 'latest' | 'all';
  /** The member of a notification whose presence says that the server has ended the subscription. */
  readonly outcome?: readonly string[];
  /** `some`: served only by nodes whose operator allows it. */
  readonly nodes: 'all' | 'some';
  readonly hasContext: boolean;
  readonly notification: Notification;
  readonly examples: readonly SubscriptionExample[];
};

/** The common parts of all subscriptions: the reply, the unsubscribe call, and the notice of a gap. */
export type Common = {
  readonly reply: Notification;
  readonly unsubscribe: Omit<CommonFile['unsubscribe'], 'params'> & { readonly params: readonly Param[] };
  readonly gap: CommonFile['gap'];
};

/** Fills in the defaults of a subscription file; the errors of all subscriptions follow its own. */
export const toSubscription = (
  file: SubscriptionFile,
  { errors }: CommonFile,
  normalize: (schema: Schema) => Schema,
): Subscription => {
  const params = toParams(file.params, normalize);
  const { name, description, schema } = file.notification;
  const hasContext = file.notification['x-context'] ?? false;
  return {
    name: file.name,
    summary: file.summary,
    ...(file.description !== undefined && { description: file.description }),
    origin: file['x-origin'],
    ...(file['x-since'] !== undefined && { since: file['x-since'] }),
    cost: file['x-cost'],
    params,
    minParams: params.filter((param) => param.required).length,
    errors: [...(file.errors ?? []), ...errors],
    refusedIn: {},
    unsubscribe: file.unsubscribe,
    refill: file['x-refill'],
    congested: file['x-congested'] ?? 'all',
    ...(file['x-ends-itself'] && { outcome: file['x-ends-itself'] }),
    nodes: file['x-nodes'] ?? 'all',
    hasContext,
    notification: {
      name,
      ...(description !== undefined && { description }),
      schema: hasContext ? withSlot(normalize(schema)) : normalize(schema),
    },
    examples: file.examples ?? [],
  };
};

/** The common file, with references by title. */
export const toCommon = (file: CommonFile, normalize: (schema: Schema) => Schema): Common => ({
  reply: { ...file.reply, schema: normalize(file.reply.schema) },
  unsubscribe: {
    ...file.unsubscribe,
    params: toParams(file.unsubscribe.params, normalize),
    result: { ...file.unsubscribe.result, schema: normalize(file.unsubscribe.result.schema) },
  },
  gap: { ...file.gap, schema: normalize(file.gap.schema) },
});

/** The unsubscribe call, as a callable. */
export const unsubscribeOf = (
  { unsubscribe: name, origin }: Subscription,
  { unsubscribe: { summary, description, params, errors, examples, 'x-cost': cost } }: Common,
): Callable => ({
  name,
  summary,
  ...(description !== undefined && { description }),
  origin,
  cost,
  params,
  minParams: params.filter(({ required }) => required).length,
  errors,
  refusedIn: {},
  examples,
});

/** A notification's context has the slot and, unlike that of an answer, no version of the node. */
const withSlot = (value: Schema): Schema => ({
  type: 'object',
  required: ['context', 'value'],
  additionalProperties: false,
  properties: { context: { $ref: refTo(NOTIFICATION_CONTEXT) }, value },
});

export const NOTIFICATION_CONTEXT = 'NotificationContext';
