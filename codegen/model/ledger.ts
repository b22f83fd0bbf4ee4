import { deepFreeze, type Json, type JsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { type Embedded, readEmbedded } from './embedded.ts';
import { type ErrorModel, readErrors } from './errors.ts';
import { type Callable, type Method, type MethodFile, type Tag, toMethod } from './method.ts';
import { mapSchema, refTo, type Schema, type Schemas } from './schema.ts';
import {
  type Common,
  type CommonFile,
  type Subscription,
  type SubscriptionFile,
  toCommon,
  toSubscription,
  unsubscribeOf,
} from './subscription.ts';

/** The input of the ledger renderers. Methods, subscriptions and schemas are in name order. */
export type LedgerModel = {
  readonly head: JsonObject;
  /** How the reference presents the methods. */
  readonly presentation: Presentation;
  readonly methods: readonly Method[];
  readonly subscriptions: readonly Subscription[];
  /** The common parts of all subscriptions. */
  readonly common: Common;
  readonly schemas: Schemas;
  readonly errors: ReadonlyMap<string, ErrorModel>;
  /** The values that the contract run substitutes for `$name`: a description of each, by name. */
  readonly scenario: Scenario;
  /** Differences of the embedded ledger, if there is one. */
  readonly embedded: Embedded | undefined;
};

export const METHODS_FOLDER = 'ledger/methods/';
export const SUBSCRIPTIONS_FOLDER = 'ledger/subscriptions/';
export const SUBSCRIPTIONS_FILE = 'ledger/subscriptions.yaml';
export const SCHEMAS_FOLDER = 'ledger/schemas/';
export const HEAD_FILE = 'ledger/openrpc.yaml';
export const PRESENTATION_FILE = 'ledger/reference.yaml';
export const SCENARIO_FILE = 'ledger/scenario.yaml';

export type Scenario = Readonly<Record<string, string>>;

/** The ledger in the reference: what it says first, and the groups of methods in the order in which they are shown. */
export type Presentation = {
  readonly description: string;
  readonly groups: readonly { readonly title: string; readonly tag: Tag }[];
};

/** The titles of the tags, in the order in which they are shown. */
export const tagTitles = ({ groups }: Presentation): ReadonlyMap<Tag, string> =>
  new Map(groups.map(({ title, tag }) => [tag, title]));

/** The method files by path. */
export const methodFiles = (sources: Sources): readonly (readonly [string, Json])[] =>
  filesBelow(sources, METHODS_FOLDER);

/** The subscription files by path. */
export const subscriptionFiles = (sources: Sources): readonly (readonly [string, Json])[] =>
  filesBelow(sources, SUBSCRIPTIONS_FOLDER);

/** The schema files by path. */
export const schemaFiles = (sources: Sources): readonly (readonly [string, Json])[] =>
  filesBelow(sources, SCHEMAS_FOLDER);

/** `ledger/methods/getBalance.yaml` to `getBalance`. */
export const fileTitle = (path: string): string =>
  path.slice(path.lastIndexOf('/') + 1).replace(/\.yaml$/, '');

/** Reads the model of sources that passed lint, and freezes it. */
export const readLedger = (sources: Sources): LedgerModel =>
  deepFreeze({
    head: parseHead(sources.get(HEAD_FILE)),
    presentation: sources.get(PRESENTATION_FILE) as unknown as Presentation,
    methods: methodFiles(sources).map(([, value]) => toMethod(parseMethodFile(value), normalize)),
    subscriptions: subscriptionFiles(sources).map(([, value]) =>
      toSubscription(parseSubscriptionFile(value), readCommon(sources), normalize),
    ),
    common: toCommon(readCommon(sources), normalize),
    schemas: new Map(
      schemaFiles(sources).map(([path, value]) => [fileTitle(path), normalize(parseSchema(value))]),
    ),
    errors: new Map(readErrors(sources).map((error) => [error.name, error])),
    scenario: readScenario(sources),
    embedded: readEmbedded(sources),
  });

/** A method file that passed the shape check. */
export const parseMethodFile = (value: Json): MethodFile => value as unknown as MethodFile;

/** A subscription file that passed the shape check. */
export const parseSubscriptionFile = (value: Json): SubscriptionFile => value as unknown as SubscriptionFile;

/** The common parts of all subscriptions, after the shape check. */
export const readCommon = (sources: Sources): CommonFile =>
  sources.get(SUBSCRIPTIONS_FILE) as unknown as CommonFile;

/** Every call, with its params: methods, then subscriptions, then the unsubscribe call. */
export const callables = ({ methods, subscriptions, common }: LedgerModel): readonly Callable[] => [
  ...methods,
  ...subscriptions,
  ...subscriptions.map((subscription) => unsubscribeOf(subscription, common)),
];

/** The schemas of everything that a server sends: results, replies to subscriptions, notifications. */
export const sentSchemas = ({ methods, subscriptions, common }: LedgerModel): readonly Schema[] => [
  ...methods.map(({ result }) => result.schema),
  ...subscriptions.map(({ notification }) => notification.schema),
  ...(subscriptions.length === 0
    ? []
    : [common.reply.schema, common.unsubscribe.result.schema, common.gap.schema]),
];

/** A schema that passed the shape check. */
export const parseSchema = (value: Json): Schema => value as unknown as Schema;

/** The scenario, after the shape check. */
export const readScenario = (sources: Sources): Scenario => sources.get(SCENARIO_FILE) as Scenario;

const parseHead = (value: Json | undefined): JsonObject => value as JsonObject;

const filesBelow = (sources: Sources, folder: string): readonly (readonly [string, Json])[] =>
  [...sources].filter(([path]) => path.startsWith(folder)).sort(([a], [b]) => (a < b ? -1 : 1));

/** References between files become references by title. */
const normalize = (schema: Schema): Schema =>
  mapSchema(schema, (part) =>
    part.$ref === undefined ? part : { ...part, $ref: refTo(fileTitle(part.$ref)) },
  );
