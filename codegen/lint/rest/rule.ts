import type { Sources } from '../../load.ts';
import { fileTitle } from '../../model/ledger.ts';
import { childSchemas } from '../../model/schema.ts';
import type { OperationFile } from '../../model/rest/operation.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import {
  operationFiles,
  readHead,
  readRest,
  readScenario,
  type RestHead,
  type RestModel,
  type RestScenario,
  schemaFiles,
} from '../../model/rest/rest.ts';
import { type EventsFile, eventsFileOf } from '../../model/rest/events.ts';
import type { Service } from '../../model/rest/service.ts';
import { pointerTo, type Problem } from '../../problem.ts';

/** A schema or a part of one, and its location. */
export type LocatedRestSchema = {
  readonly file: string;
  readonly pointer: string;
  readonly schema: RestSchema;
};

/** The input of the rules. Every file here has passed the shape check. */
export type RestDocuments = {
  readonly sources: Sources;
  readonly service: Service;
  readonly head: RestHead;
  readonly scenario: RestScenario;
  readonly operations: readonly { readonly file: string; readonly operation: OperationFile }[];
  /** Schema files by title. */
  readonly schemas: ReadonlyMap<string, { readonly file: string; readonly schema: RestSchema }>;
  /** Every schema and part of a schema, in all files. */
  readonly parts: readonly LocatedRestSchema[];
  /** The model of the documents; only when all their references resolve. */
  readonly model: () => RestModel;
};

/** The schemas that events.yaml refers to. */
const eventParts = (sources: Sources, service: Service): readonly LocatedRestSchema[] => {
  const file = eventsFileOf(service);
  const events = sources.get(file) as unknown as EventsFile | undefined;
  if (events === undefined) return [];
  return [
    { file, pointer: '/audit', schema: events.audit },
    ...Object.entries(events.events).map(([type, { data }]) => ({
      file,
      pointer: pointerTo('', 'events', type, 'data'),
      schema: data,
    })),
  ];
};

/** A rule of the documents; returns its violations. */
export type RestRule = (documents: RestDocuments) => readonly Problem[];

/** Reads the documents that passed the shape check. */
export const readRestDocuments = (sources: Sources, service: Service): RestDocuments => {
  const operations = operationFiles(sources, service).map(([file, operation]) => ({ file, operation }));
  const schemas = schemaFiles(sources, service).map(([file, schema]) => ({ file, schema }));
  return {
    sources,
    service,
    head: readHead(sources, service),
    scenario: readScenario(sources, service),
    operations,
    schemas: new Map(schemas.map((entry) => [fileTitle(entry.file), entry])),
    parts: [
      ...schemas.flatMap(({ file, schema }) => partsOf({ file, pointer: '', schema })),
      ...operations.flatMap(({ file, operation }) => operationParts(file, operation)),
      ...eventParts(sources, service),
    ],
    model: () => readRest(sources, service),
  };
};

const operationParts = (
  file: string,
  { id, query, requestBody, responses }: OperationFile,
): readonly LocatedRestSchema[] => [
  ...(id ? partsOf({ file, pointer: '/id', schema: id }) : []),
  ...(query ? partsOf({ file, pointer: '/query', schema: query }) : []),
  ...(requestBody ? partsOf({ file, pointer: '/requestBody/schema', schema: requestBody.schema }) : []),
  ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([media, form]) =>
      (['schema', 'x-item-schema'] as const).flatMap((keyword) => {
        const schema = form[keyword];
        const pointer = pointerTo('/responses', status, 'content', media, keyword);
        return schema ? partsOf({ file, pointer, schema }) : [];
      }),
    ),
  ),
];

const partsOf = (placed: LocatedRestSchema): readonly LocatedRestSchema[] => [
  placed,
  ...childSchemas(placed.schema).flatMap(([steps, schema]) =>
    partsOf({ ...placed, pointer: pointerTo(placed.pointer, ...steps), schema }),
  ),
];
