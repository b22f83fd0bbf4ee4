import { deepFreeze, type Json, type JsonObject } from '../../json.ts';
import type { Sources } from '../../load.ts';
import { type ProblemModel, readProblems, statusOf } from '../errors.ts';
import { fileTitle } from '../ledger.ts';
import { mapSchema, refTo } from '../schema.ts';
import { isSuccess, kindsOf, type Operation, type OperationFile, type Provocation } from './operation.ts';
import { type WalletSchema, type WalletSchemas, withLimits } from './schema.ts';

export const WALLETS_HEAD_FILE = 'wallets/openapi.yaml';
export const WALLETS_SCENARIO_FILE = 'wallets/scenario.yaml';
export const OPERATIONS_FOLDER = 'wallets/operations/';
export const WALLET_SCHEMAS_FOLDER = 'wallets/schemas/';

/** Header of a request or of an answer. */
export type HeaderModel = {
  readonly description: string;
  readonly schema: WalletSchema;
  readonly example: Json;
};

/** wallets/openapi.yaml, after the shape check. */
export type WalletsHead = {
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
  /** What a token may be for, by scope. */
  readonly 'x-scopes': Readonly<Record<string, string>>;
  readonly 'x-errors': Readonly<Record<string, readonly string[]>>;
  readonly 'x-headers': Readonly<Record<string, readonly string[]>>;
};

/** wallets/scenario.yaml, after the shape check. */
export type WalletsScenario = {
  readonly values: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, string>>;
  readonly provoke: Readonly<Record<string, readonly Provocation[]>>;
};

/** Everything the wallet renderers read. Operations are in the order of their paths, schemas in that of their names. */
export type WalletsModel = {
  readonly head: WalletsHead;
  readonly operations: readonly Operation[];
  readonly schemas: WalletSchemas;
  readonly scenario: WalletsScenario;
  /** Every error with a problem form, those too that no operation answers by itself. */
  readonly problems: readonly ProblemModel[];
};

/** The operation files by path. */
export const operationFiles = (sources: Sources): readonly (readonly [string, OperationFile])[] =>
  filesBelow(sources, OPERATIONS_FOLDER).map(([path, value]) => [path, value as unknown as OperationFile]);

/** The schema files by path. */
export const walletSchemaFiles = (sources: Sources): readonly (readonly [string, WalletSchema])[] =>
  filesBelow(sources, WALLET_SCHEMAS_FOLDER).map(([path, value]) => [path, value as unknown as WalletSchema]);

/** The head, after the shape check. */
export const readHead = (sources: Sources): WalletsHead =>
  sources.get(WALLETS_HEAD_FILE) as unknown as WalletsHead;

/** The scenario, after the shape check. */
export const readWalletsScenario = (sources: Sources): WalletsScenario =>
  sources.get(WALLETS_SCENARIO_FILE) as unknown as WalletsScenario;

/** Reads the model of sources that lint accepted, and freezes it. */
export const readWallets = (sources: Sources): WalletsModel => {
  const head = readHead(sources);
  const problems = readProblems(sources);
  const byName = new Map(problems.map((problem) => [problem.name, problem]));
  const normal = (schema: WalletSchema): WalletSchema => normalize(withLimits(schema, sources));
  return deepFreeze({
    head,
    operations: operationFiles(sources)
      .map(([, file]) => toOperation(file, head, byName, normal))
      .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    schemas: new Map(walletSchemaFiles(sources).map(([path, schema]) => [fileTitle(path), normal(schema)])),
    scenario: readWalletsScenario(sources),
    problems,
  });
};

const sortKey = ({ path, method }: Operation): string => `${path} ${method}`;

const toOperation = (
  file: OperationFile,
  head: WalletsHead,
  problems: ReadonlyMap<string, ProblemModel>,
  normal: (schema: WalletSchema) => WalletSchema,
): Operation => {
  const [status = '', success] = Object.entries(file.responses).find(([code]) => isSuccess(code)) ?? [];
  return {
    id: file.operationId,
    method: file.method,
    path: file.path,
    tag: file.tag,
    summary: file.summary,
    description: file.description.trim(),
    origin: file['x-origin'],
    scopes: file['x-scopes'],
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
export const errorNamesIn = (file: OperationFile, head: WalletsHead): readonly string[] => [
  ...new Set([
    ...kindsOf(file).flatMap((kind) => head['x-errors'][kind] ?? []),
    ...Object.values(file.responses).flatMap(({ errors }) => errors ?? []),
  ]),
];

const successHeaders = (file: OperationFile, head: WalletsHead): readonly string[] =>
  kindsOf(file).flatMap((kind) => head['x-headers'][kind] ?? []);

const filesBelow = (sources: Sources, folder: string): readonly (readonly [string, Json])[] =>
  [...sources].filter(([path]) => path.startsWith(folder)).sort(([a], [b]) => (a < b ? -1 : 1));

/** References between files become references by title. */
const normalize = (schema: WalletSchema): WalletSchema =>
  mapSchema(schema, (part) =>
    part.$ref === undefined ? part : { ...part, $ref: refTo(fileTitle(part.$ref)) },
  );
