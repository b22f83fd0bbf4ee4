import { deepFreeze, type Json, type JsonObject } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { type ProblemModel, readProblems, statusOf } from '../errors.ts';
import { fileTitle } from '../ledger.ts';
import { mapSchema, refTo } from '../schema.ts';
import { type EventModel, readEvents } from './events.ts';
import { namesOf, type Service } from './service.ts';
import {
  authOf,
  isSuccess,
  kindsOf,
  type Operation,
  type OperationFile,
  type Provocation,
} from './operation.ts';
import { type RestSchema, type RestSchemas, withLimits } from './schema.ts';

/** Header of a request or of an answer. */
export type HeaderModel = {
  readonly description: string;
  readonly schema: RestSchema;
  readonly example: Json;
};

/** A role of members: its scopes, of any service. */
export type Role = { readonly description: string; readonly scopes: readonly string[] };

/** openapi.yaml of a service, after the shape check. */
export type RestHead = {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly servers: Json;
  readonly tags: readonly { readonly name: string; readonly 'x-tag': string }[];
  readonly security: Json;
  readonly components: {
    readonly securitySchemes: JsonObject;
    readonly headers: Readonly<Record<string, HeaderModel>>;
    readonly parameters: Readonly<Record<string, HeaderModel>>;
  };
  /** The scopes of tokens, with descriptions. */
  readonly 'x-scopes': Readonly<Record<string, string>>;
  /** The roles of members, from the one that may do everything. */
  readonly 'x-roles'?: Readonly<Record<string, Role>>;
  readonly 'x-errors': Readonly<Record<string, readonly string[]>>;
  readonly 'x-headers': Readonly<Record<string, readonly string[]>>;
};

/** scenario.yaml of a service, after the shape check. */
export type RestScenario = {
  readonly values: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, string>>;
  readonly provoke: Readonly<Record<string, readonly Provocation[]>>;
};

/** The input of a service's renderers. Operations are in the order of their paths, schemas in that of their names. */
export type RestModel = {
  readonly service: Service;
  readonly head: RestHead;
  readonly operations: readonly Operation[];
  readonly schemas: RestSchemas;
  readonly scenario: RestScenario;
  /** The events that webhooks deliver, in the order of their types. */
  readonly events: readonly EventModel[];
  /** Every problem that a client may get: those of operations, and those of the server before any operation. */
  readonly problems: readonly ProblemModel[];
};

/** The operation files by path. */
export const operationFiles = (
  sources: Sources,
  service: Service,
): readonly (readonly [string, OperationFile])[] =>
  filesBelow(sources, namesOf(service).operationsFolder).map(([path, value]) => [
    path,
    value as unknown as OperationFile,
  ]);

/** The schema files by path. */
export const schemaFiles = (sources: Sources, service: Service): readonly (readonly [string, RestSchema])[] =>
  filesBelow(sources, namesOf(service).schemasFolder).map(([path, value]) => [
    path,
    value as unknown as RestSchema,
  ]);

/** The head, after the shape check. */
export const readHead = (sources: Sources, service: Service): RestHead =>
  sources.get(namesOf(service).headFile) as unknown as RestHead;

/** The scenario, after the shape check. */
export const readScenario = (sources: Sources, service: Service): RestScenario =>
  sources.get(namesOf(service).scenarioFile) as unknown as RestScenario;

/** Areas of the catalogue whose problems only operations have. */
const OF_SERVICES: ReadonlySet<string> = new Set(['wallets', 'account', 'command']);

/** Reads the model of sources that passed lint, and freezes it. */
export const readRest = (sources: Sources, service: Service): RestModel => {
  const head = readHead(sources, service);
  const problems = readProblems(sources);
  const byName = new Map(problems.map((problem) => [problem.name, problem]));
  const normal = (schema: RestSchema): RestSchema => normalize(withLimits(schema, sources));
  const operations = operationFiles(sources, service)
    .map(([, file]) => toOperation(file, head, byName, normal))
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const answered = new Set(operations.flatMap(({ errors }) => errors.map(({ error }) => error)));
  return deepFreeze({
    service,
    head,
    operations,
    schemas: new Map(
      schemaFiles(sources, service).map(([path, schema]) => [fileTitle(path), normal(schema)]),
    ),
    scenario: readScenario(sources, service),
    events: readEvents(sources, service),
    problems: problems.filter((error) => answered.has(error) || !OF_SERVICES.has(error.area)),
  });
};

const sortKey = ({ path, method }: Operation): string => `${path} ${method}`;

const toOperation = (
  file: OperationFile,
  head: RestHead,
  problems: ReadonlyMap<string, ProblemModel>,
  normal: (schema: RestSchema) => RestSchema,
): Operation => {
  const [status = '', success] = Object.entries(file.responses).find(([code]) => isSuccess(code)) ?? [];
  return {
    id: file.operationId,
    method: file.method,
    path: file.path,
    ...(file.id && { idSchema: normal(file.id) }),
    tag: file.tag,
    summary: file.summary,
    description: file.description.trim(),
    origin: file['x-origin'],
    auth: authOf(file),
    scopes: file['x-scopes'],
    roles: file['x-roles'] ?? [],
    isFresh: file['x-fresh'] ?? false,
    audit: file['x-audit'],
    prices: file['x-price'] ?? [],
    ...(file['x-rate'] !== undefined && { rate: file['x-rate'] }),
    idempotent: file['x-idempotent'] ?? false,
    headers: file.parameters ?? [],
    ...(file.query && { query: normal(file.query) }),
    ...(file.requestBody && {
      body: {
        schema: normal(file.requestBody.schema),
        examples: Object.entries(file.requestBody.examples).map(([name, example]) => ({ name, ...example })),
      },
    }),
    success: {
      status: Number(status),
      description: success?.description ?? '',
      headers: [...successHeaders(file, head), ...(success?.headers ?? [])],
      content: Object.entries(success?.content ?? {}).map(([media, content]) => ({
        media,
        ...(content.schema && { schema: normal(content.schema) }),
        ...(content['x-item-schema'] && { itemSchema: normal(content['x-item-schema']) }),
        examples: content.examples,
      })),
    },
    errors: errorNamesIn(file, head)
      .flatMap((name) => problems.get(name) ?? [])
      .map((error) => ({
        error,
        context: file['x-examples']?.[error.name] ?? error.problem.example ?? {},
      }))
      .sort((a, b) => statusOf(a.error) - statusOf(b.error)),
    live: file['x-live'] ?? {},
    provoke: file['x-provoke'] ?? {},
  };
};

/** The names of the errors of an operation: those of its kind, then its own. */
export const errorNamesIn = (file: OperationFile, head: RestHead): readonly string[] => [
  ...new Set([
    ...[...kindsOf(file), ...(isRestricted(file, head) ? ['role'] : [])].flatMap(
      (kind) => head['x-errors'][kind] ?? [],
    ),
    ...Object.values(file.responses).flatMap(({ errors }) => errors ?? []),
  ]),
];

/** True for an operation that some roles may not call. */
const isRestricted = (
  { 'x-roles': named = [] }: OperationFile,
  { 'x-roles': roles = {} }: RestHead,
): boolean => named.length > 0 && Object.keys(roles).some((role) => !named.includes(role));

const successHeaders = (file: OperationFile, head: RestHead): readonly string[] =>
  kindsOf(file).flatMap((kind) => head['x-headers'][kind] ?? []);

const filesBelow = (sources: Sources, folder: string): readonly (readonly [string, Json])[] =>
  [...sources].filter(([path]) => path.startsWith(folder)).sort(([a], [b]) => (a < b ? -1 : 1));

/** References between files become references by title. */
const normalize = (schema: RestSchema): RestSchema =>
  mapSchema(schema, (part) =>
    part.$ref === undefined ? part : { ...part, $ref: refTo(fileTitle(part.$ref)) },
  );
