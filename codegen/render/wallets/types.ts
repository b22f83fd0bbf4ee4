import {
  astToString,
  type GlobalContext,
  type OpenAPI3,
  resolveRef,
  transformSchema,
} from 'openapi-typescript';
import type { Files } from '../../area.ts';
import type { JsonObject } from '../../json.ts';
import { snakeCase } from '../../model/errors.ts';
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER, memberName, quote } from '../../text.ts';
import { walletsDocument } from './document.ts';

/**
 * wallets/types.ts: the document as types, as clients see it, with a name per schema; wallets/checked-types.ts: the same as the
 * server sees it after a check, when what has a default is there.
 */
export const renderTypes = (model: WalletsModel): Files => ({
  'wallets/types.ts': `${HEADER}${typesOf(walletsDocument(model), false)}
${[...model.schemas.keys()].map((title) => `export type ${title} = components['schemas']['${title}'];\n`).join('')}
export type OperationId = keyof operations;

/** The stable \`code\` of a problem. */
export type WalletErrorCode = keyof ProblemData;

/** The members that the problem of each code has of its own. */
export type ProblemData = {
${model.problems
  .map(({ name, data, context }) => {
    const members = data.map((member) => `readonly ${snakeCase(member)}: ${dataType(context[member])}`);
    return `readonly ${memberName(snakeCase(name))}: ${members.length === 0 ? 'Readonly<Record<never, never>>' : `{ ${members.join('; ')} }`};\n`;
  })
  .join('')}};
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

const dataType = (type: string | undefined): string =>
  type === 'integer' ? 'number' : type === 'string' ? 'string' : 'readonly FieldProblem[]';

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
      .filter(([name]) => name !== 'allOf')
      .map(([name, member]) => [name, withoutConflicts(member)]),
  );
};
