import {
  astToString,
  type GlobalContext,
  type OpenAPI3,
  resolveRef,
  transformSchema,
} from 'openapi-typescript';
import type { Files } from '../../area.ts';
import type { JsonObject } from '../../json.ts';
import { type ProblemModel, snakeCase } from '../../model/errors.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { HEADER, quote } from '../../text.ts';
import { queryTitles, restDocument } from './document.ts';
import { answeredProblems, problemTitle } from './problem-schemas.ts';

/** types.ts: the document as types, as clients see it, with a name per schema. */
export const renderTypes = (model: RestModel): Files => ({
  [`${model.service.folder}/types.ts`]: `${HEADER}${typesOf(restDocument(model))}
${schemaTitles(model)
  .map((title) => `export type ${title} = components['schemas']['${title}'];\n`)
  .join('')}${[...queryTitles(model)]
  .map(
    ([title, id]) => `export type ${title} = NonNullable<operations[${quote(id)}]['parameters']['query']>;\n`,
  )
  .join('')}
export type OperationId = keyof operations;

/** The stable \`code\` of a problem. */
export type ${model.service.prefix}ErrorCode = keyof ProblemData;

/** The problem of each code. */
export type ProblemData = {
${model.problems.map((problem) => `readonly ${snakeCase(problem.name)}: ${problemType(problem, model)};\n`).join('')}};
`,
});

const schemaTitles = (model: RestModel): readonly string[] => {
  const queries = queryTitles(model);
  return [
    ...[...model.schemas.keys()].filter((title) => !queries.has(title)),
    ...answeredProblems(model).map(problemTitle),
  ];
};

/** A problem that no operation has has only its code. */
const problemType = (problem: ProblemModel, model: RestModel): string =>
  answeredProblems(model).includes(problem)
    ? problemTitle(problem)
    : `Problem & { readonly code: ${quote(snakeCase(problem.name))} }`;

/**
 * openapi-typescript without its loader: the document is complete and valid. Events have their own types, and absent parts of a path are
 * left out.
 */
const typesOf = ({ webhooks: _, ...document }: JsonObject): string => {
  const schema = withoutConflicts(document) as unknown as OpenAPI3;
  return astToString(transformSchema(schema, contextOf(schema)))
    .replace(/^export type (webhooks|\$defs) = .*;\n/gm, '')
    .replace(/^\s*(readonly )?\w+\?: never;\n/gm, '');
};

/** Without the loader's own settings. */
const contextOf = (schema: OpenAPI3) =>
  ({
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable: false,
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: false,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: true,
    generatePathParams: false,
    immutable: true,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    propertiesRequiredByDefault: false,
    readWriteMarkers: false,
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    silent: true,
    resolve: <T>($ref: string): T | undefined => resolveRef(schema, $ref, { silent: true }),
  }) as unknown as GlobalContext;

/** Conflicts have no type. */
const withoutConflicts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutConflicts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'allOf' || !isConflicts(member))
      .map(([name, member]) => [name, withoutConflicts(member)]),
  );
};

const isConflicts = (parts: unknown): boolean =>
  Array.isArray(parts) && parts.every((part: object) => 'not' in part);
