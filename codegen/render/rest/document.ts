import type { Files } from '../../area.ts';
import { type Json, type JsonObject, printDocument } from '../../json.ts';
import { problemBody, snakeCase, statusOf } from '../../model/errors.ts';
import { mapSchema, refTitle, refTo, resolve } from '../../model/schema.ts';
import { answeredProblems, problemSchema, problemTitle } from './problem-schemas.ts';
import type { Content, Operation, OperationError } from '../../model/rest/operation.ts';
import { type Conflict, PRESENT, type RestSchema } from '../../model/rest/schema.ts';
import type { EventModel } from '../../model/rest/events.ts';
import type { HeaderModel, RestModel } from '../../model/rest/rest.ts';

/** openapi.json: the whole document in one file, as it is served. */
export const renderDocument = (model: RestModel): Files => ({
  [`${model.service.folder}/openapi.json`]: printDocument(restDocument(model)),
});

/** Media type of every error. */
export const PROBLEM_MEDIA = 'application/problem+json';

/** The OpenAPI document as data. */
export const restDocument = (model: RestModel): JsonObject => {
  const { head, operations, schemas } = model;
  const paths = Map.groupBy(operations, ({ path }) => path);
  const queries = queryTitles(model);
  return plain({
    openapi: head.openapi,
    info: head.info,
    servers: head.servers,
    tags: head.tags,
    security: head.security,
    'x-scopes': head['x-scopes'],
    'x-roles': head['x-roles'],
    paths: Object.fromEntries(
      [...paths].map(([path, members]) => [
        path,
        Object.fromEntries(members.map((operation) => [operation.method, operationObject(operation, model)])),
      ]),
    ),
    webhooks: model.events.length === 0 ? undefined : webhooksOf(model.events),
    components: {
      securitySchemes: head.components.securitySchemes,
      headers: mapValues(head.components.headers, ({ description, schema, example }) => ({
        description,
        schema: shown(schema),
        example,
      })),
      schemas: {
        ...Object.fromEntries(
          [...schemas]
            .filter(([title]) => !queries.has(title))
            .map(([title, schema]) => [title, shown(schema)]),
        ),
        ...Object.fromEntries(
          answeredProblems(model).map((problem) => [problemTitle(problem), problemSchema(problem)]),
        ),
      },
    },
  });
};

/** The requests that webhooks send, by type of event. */
const webhooksOf = (events: readonly EventModel[]) =>
  Object.fromEntries(
    events.map(({ type, summary, data }) => [
      type,
      {
        post: {
          summary,
          requestBody: { content: { 'application/json': { schema: eventSchema(type, data) } } },
          responses: { '2XX': { description: 'The event has been taken.' } },
        },
      },
    ]),
  );

const eventSchema = (type: string, data: string) => ({
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: { type: { const: type }, timestamp: { $ref: refTo('Instant') }, data: { $ref: refTo(data) } },
});

const operationObject = (operation: Operation, model: RestModel) => ({
  operationId: operation.id,
  tags: [model.head.tags.find((tag) => tag['x-tag'] === operation.tag)?.name ?? operation.tag],
  summary: operation.summary,
  description: operation.description,
  security: securityOf(operation),
  parameters: parametersOf(operation, model),
  requestBody: operation.body && {
    // Without a body the members have their defaults.
    required: (resolve(operation.body.schema, model.schemas).required ?? []).length > 0,
    content: {
      'application/json': {
        schema: shown(operation.body.schema),
        examples: Object.fromEntries(
          operation.body.examples.map(({ name, summary, value }) => [name, { summary, value }]),
        ),
      },
    },
  },
  responses: {
    [operation.success.status]: {
      description: operation.success.description,
      headers: headerRefs(operation.success.headers),
      content: Object.fromEntries(
        operation.success.content.map((content) => [content.media, mediaObject(content)]),
      ),
    },
    ...errorResponses(operation.errors, model),
  },
  'x-origin': operation.origin,
  'x-scopes': operation.scopes,
  'x-roles': operation.roles.length > 0 ? operation.roles : undefined,
  'x-fresh': operation.isFresh || undefined,
  'x-price': operation.prices.length > 0 ? operation.prices : undefined,
  'x-rate': operation.rate,
});

const SCHEMES = { token: 'bearer', session: 'session' } as const;

/** Undefined: the default of the document, a token. */
const securityOf = ({ auth }: Operation): readonly JsonObject[] | undefined =>
  auth.join() === 'token' ? undefined : auth.map((kind) => ({ [SCHEMES[kind]]: [] }));

const mediaObject = ({ schema, itemSchema, examples }: Content) => ({
  schema: schema ? shown(schema) : { type: 'string' },
  'x-item-schema': itemSchema && shown(itemSchema),
  examples: mapValues(examples, (value) => ({ value })),
});

const errorResponses = (errors: readonly OperationError[], model: RestModel) =>
  Object.fromEntries(
    [...Map.groupBy(errors, ({ error }) => statusOf(error))].map(([status, members]) => [
      status,
      {
        description: members
          .map(({ error }) => `\`${snakeCase(error.name)}\`: ${error.summary}`)
          .join('\n\n'),
        headers: headerRefs([
          ...(model.head['x-headers'].every ?? []),
          ...(model.head['x-headers'][status] ?? []),
        ]),
        content: {
          [PROBLEM_MEDIA]: {
            schema: oneOf(members.map(({ error }) => ({ $ref: refTo(problemTitle(error)) }))),
            examples: Object.fromEntries(
              members.map(({ error, context }) => [
                snakeCase(error.name),
                { summary: error.problem.title, value: problemBody(error, context, exampleRequestId(model)) },
              ]),
            ),
          },
        },
      },
    ]),
  );

/** Exactly one of them: their codes differ. */
const oneOf = (schemas: readonly JsonObject[]): JsonObject => {
  const [only, another] = schemas;
  return only !== undefined && another === undefined ? only : { oneOf: schemas };
};

const exampleRequestId = ({ schemas }: RestModel): string =>
  String(schemas.get('RequestId')?.examples?.[0] ?? '');

/** The parameters of an operation: the id of the path, then the query, then the headers. */
const parametersOf = (operation: Operation, model: RestModel) => {
  const id = /\{(\w+)\}/.exec(operation.path)?.[1];
  const { description, ...schema } = operation.idSchema ?? {};
  return [
    ...(id === undefined
      ? []
      : [
          {
            name: id,
            in: 'path',
            required: true,
            description,
            schema: shown(schema),
            example: resolve(schema, model.schemas).examples?.[0],
          },
        ]),
    ...queryParameters(operation, model),
    ...headersOf(operation).map((name) => headerParameter(name, model.head.components.parameters[name])),
  ];
};

/** The schemas of query parameters, which are not components of the document: the title of each, and an operation that has it. */
export const queryTitles = ({ operations }: RestModel): ReadonlyMap<string, string> =>
  new Map(
    operations.flatMap(({ id, query }) => (query?.$ref === undefined ? [] : [[refTitle(query.$ref), id]])),
  );

const queryParameters = ({ query }: Operation, { schemas }: RestModel) =>
  Object.entries(query === undefined ? {} : (resolve(query, schemas).properties ?? {})).map(
    ([name, written]) => {
      const { description, examples, ...schema }: RestSchema = resolve(written, schemas);
      const example = examples?.[0] ?? schema.default;
      const own = { name, in: 'query', required: false, description, schema: shown(schema) };
      return example === undefined ? own : { ...own, example };
    },
  );

/** The headers of an operation, those of its kind first. */
export const headersOf = (operation: Operation): readonly string[] => [
  ...(operation.idempotent ? ['Idempotency-Key'] : []),
  ...operation.headers,
];

const OPTIONAL_HEADERS = ['Idempotency-Key', 'X-Wallets-Received'];

const headerParameter = (name: string, header: HeaderModel | undefined) => ({
  name,
  in: 'header',
  required: !OPTIONAL_HEADERS.includes(name),
  description: header?.description,
  schema: header && shown(header.schema),
  example: header?.example,
});

const headerRefs = (names: readonly string[]): JsonObject | undefined =>
  names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const BASE58_LENGTHS: Readonly<Record<number, string>> = { 32: '{32,44}', 64: '{64,88}' };

/** A schema in the words of JSON Schema alone, next to our keywords. */
export const shown = (schema: RestSchema): JsonObject =>
  mapSchema(schema, (part: RestSchema) => {
    const { 'x-conflicts': conflicts, 'x-guard': _, ...rest } = part;
    const size = part['x-base58'];
    return {
      ...rest,
      ...(size !== undefined && { pattern: `^[1-9A-HJ-NP-Za-km-z]${BASE58_LENGTHS[size]}$` }),
      ...(conflicts && { allOf: conflicts.map(excluded) }),
    };
  }) as unknown as JsonObject;

/** The exclusion of a conflict, as JSON Schema. */
export const excluded = ({ member, with: others }: Conflict): JsonObject => {
  const excluding = { [member]: PRESENT, ...others };
  return {
    not: {
      type: 'object',
      required: Object.keys(excluding),
      properties: mapValues(excluding, (value) => (value === PRESENT ? {} : { const: value })),
    },
  };
};

const mapValues = <From, To>(
  members: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));

/** Without members that are undefined. */
const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as Json as JsonObject;
