import type { Sources } from '../../load.ts';
import {
  fileTitle,
  type LedgerModel,
  methodFiles,
  parseMethodFile,
  parseSchema,
  parseSubscriptionFile,
  readCommon,
  readLedger,
  readScenario,
  type Scenario,
  SUBSCRIPTIONS_FILE,
  schemaFiles,
  subscriptionFiles,
} from '../../model/ledger.ts';
import type { MethodFile } from '../../model/method.ts';
import type { CommonFile, SubscriptionExample, SubscriptionFile } from '../../model/subscription.ts';
import { readErrors } from '../../model/errors.ts';
import { childSchemas, type Schema } from '../../model/schema.ts';
import { pointerTo, type Problem } from '../../problem.ts';

/** Position of a schema: in its own file, in a param or in a result (or a notification). */
export type Location = {
  readonly file: string;
  readonly pointer: string;
  readonly position: 'schema' | 'param' | 'result';
};
export type LocatedSchema = Location & { readonly schema: Schema };

/** A call as written in the documents. */
export type CallDocument = {
  readonly file: string;
  /** JSON pointer in the file. */
  readonly pointer: string;
  readonly call: Pick<MethodFile, 'summary' | 'description' | 'params' | 'errors' | 'x-span'> & {
    readonly result?: { readonly description?: string };
    readonly notification?: { readonly description?: string };
    readonly examples?: readonly SubscriptionExample[];
  };
};

/** The input of the rules. Every file here has passed the shape check. */
export type LedgerDocuments = {
  readonly methods: readonly { readonly file: string; readonly method: MethodFile }[];
  readonly subscriptions: readonly { readonly file: string; readonly subscription: SubscriptionFile }[];
  readonly common: CommonFile;
  /** Methods, subscriptions, and the unsubscribe call. */
  readonly calls: readonly CallDocument[];
  /** Schema files by title. */
  readonly schemas: ReadonlyMap<string, { readonly file: string; readonly schema: Schema }>;
  /** Every schema and part of a schema, in all files. */
  readonly parts: readonly LocatedSchema[];
  readonly errorNames: ReadonlySet<string>;
  readonly scenario: Scenario;
  /** The model of the documents; only when all their references resolve. */
  readonly model: () => LedgerModel;
};

/** A rule of the documents; returns its violations. */
export type Rule = (documents: LedgerDocuments) => readonly Problem[];

/** A violation of a rule. Blocking: nothing can be rendered from the file. */
export const finding = (
  rule: string,
  { file, pointer }: Omit<Location, 'position'>,
  message: string,
  blocking = true,
): Problem => ({
  file,
  pointer,
  rule,
  message,
  blocking,
});

/** Reads the documents that passed the shape check. */
export const readDocuments = (sources: Sources): LedgerDocuments => {
  const methods = methodFiles(sources).map(([file, value]) => ({ file, method: parseMethodFile(value) }));
  const schemas = schemaFiles(sources).map(([file, value]) => ({ file, schema: parseSchema(value) }));
  const subscriptions = subscriptionFiles(sources).map(([file, value]) => ({
    file,
    subscription: parseSubscriptionFile(value),
  }));
  const common = readCommon(sources);
  const calls: readonly CallDocument[] = [
    ...methods.map(({ file, method: call }) => ({ file, pointer: '', call })),
    ...subscriptions.map(({ file, subscription: call }) => ({ file, pointer: '', call })),
    { file: SUBSCRIPTIONS_FILE, pointer: '/unsubscribe', call: common.unsubscribe },
  ];
  const sent = [
    ...methods.map(({ file, method }) => ({ file, pointer: '/result', schema: method.result.schema })),
    ...subscriptions.map(({ file, subscription }) => ({
      file,
      pointer: '/notification',
      schema: subscription.notification.schema,
    })),
    { file: SUBSCRIPTIONS_FILE, pointer: '/reply', schema: common.reply.schema },
    { file: SUBSCRIPTIONS_FILE, pointer: '/unsubscribe/result', schema: common.unsubscribe.result.schema },
    { file: SUBSCRIPTIONS_FILE, pointer: '/gap', schema: common.gap.schema },
  ];
  return {
    methods,
    subscriptions,
    common,
    calls,
    schemas: new Map(schemas.map((entry) => [fileTitle(entry.file), entry])),
    parts: [
      ...schemas.flatMap(({ file, schema }) => partsOf({ file, pointer: '', position: 'schema', schema })),
      ...calls.flatMap(({ file, pointer, call }) =>
        (call.params ?? []).flatMap(({ schema }, index) =>
          partsOf({ file, pointer: `${pointer}/params/${index}/schema`, position: 'param', schema }),
        ),
      ),
      ...sent.flatMap(({ file, pointer, schema }) =>
        partsOf({ file, pointer: `${pointer}/schema`, position: 'result', schema }),
      ),
    ],
    errorNames: new Set(readErrors(sources).map(({ name }) => name)),
    scenario: readScenario(sources),
    model: () => readLedger(sources),
  };
};

/** The schema and everything below it. */
export const partsOf = (placed: LocatedSchema): readonly LocatedSchema[] => [
  placed,
  ...childSchemas(placed.schema).flatMap(([steps, schema]) =>
    partsOf({ ...placed, pointer: pointerTo(placed.pointer, ...steps), schema }),
  ),
];
