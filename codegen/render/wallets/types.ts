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
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER, quote } from '../../text.ts';
import { walletsDocument } from './document.ts';
import { answeredProblems, problemTitle } from './problem-schemas.ts';

/**
 * wallets/types.ts: the document as types, as clients see it, with a name per schema; wallets/checked-types.ts: the same as the
 * server sees it after a check, when what has a default is there.
 */
export const renderTypes = (model: WalletsModel): Files => ({
  'wallets/types.ts': `${HEADER}${typesOf(walletsDocument(model), false)}
${schemaTitles(model)
  .map((title) => `export type ${title} = components['schemas']['${title}'];\n`)
  .join('')}
export type OperationId = keyof operations;

/** The stable \`code\` of a problem. */
export type WalletErrorCode = keyof ProblemData;

/** The problem of each code. */
export type ProblemData = {
${model.problems.map((problem) => `readonly ${snakeCase(problem.name)}: ${problemType(problem, model)};\n`).join('')}};
`,
  'wallets/checked-types.ts': `${HEADER}${typesOf(walletsDocument(model), true)}
/** The body of an operation after checkBody: what has a default is there. */
export type CheckedBodies = {
${model.operations
  .map(
    ({ id, body }) =>
      `readonly ${id}: ${body ? `operations[${quote(id)}]['requestBody']['content']['application/json']` : 'undefined'};\n`,
  )
  .join('')}};
`,
});

const schemaTitles = (model: WalletsModel): readonly string[] => [
  ...model.schemas.keys(),
  ...answeredProblems(model).map(problemTitle),
];

/** Of a problem that no operation answers only the code is told. */
const problemType = (problem: ProblemModel, model: WalletsModel): string =>
  answeredProblems(model).includes(problem)
    ? problemTitle(problem)
    : `Problem & { readonly code: ${quote(snakeCase(problem.name))} }`;

/** openapi-typescript without its loader: the document is whole, and known to be valid. */
const typesOf = (document: JsonObject, defaultNonNullable: boolean): string => {
  const schema = withoutConflicts(document) as unknown as OpenAPI3;
  return astToString(transformSchema(schema, contextOf(schema, defaultNonNullable))).replace(
    /^export type (webhooks|\$defs) = .*;\n/gm,
    '',
  );
};

/** Without the settings of the loader, which only the loader reads. */
const contextOf = (schema: OpenAPI3, defaultNonNullable: boolean) =>
  ({
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable,
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
