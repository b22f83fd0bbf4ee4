import type { Files } from '../../area.ts';
import { PRESENT, type Conflict, type RestSchema } from '../../model/rest/schema.ts';
import { resolve } from '../../model/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { HEADER, literal, memberName, quote } from '../../text.ts';
import { compileModule } from '../../validators/compile.ts';
import { prepareBody, secretPointers } from '../../validators/prepare-body.ts';

/** bodies/<operationId>.js and queries/<operationId>.js, and their registers. */
export const renderBodies = (model: RestModel): Files => {
  const { folder } = model.service;
  const withQuery = model.operations.flatMap(({ id, query }) => (query ? [{ id, schema: query }] : []));
  const withBody = model.operations.flatMap(({ id, body }) => (body ? [{ id, schema: body.schema }] : []));
  return {
    ...Object.fromEntries(
      withBody.map(({ id, schema }) => [`${folder}/bodies/${id}.js`, bodyModule(schema, model)]),
    ),
    [`${folder}/body-checks.js`]: `${HEADER}${withBody
      .map(({ id }) => `import * as ${id} from ${quote(`./bodies/${id}.js`)};\n`)
      .join('')}
/** The check of each operation's body. */
export const BODY_CHECKS = {
${withBody.map(({ id }) => `${id},\n`).join('')}};
`,
    [`${folder}/body-checks.d.ts`]: `${HEADER}import type { BodyCheck } from '../../runtime/check-body.ts';
import type { OperationWithBody } from './operations.ts';

export declare const BODY_CHECKS: { readonly [O in OperationWithBody]: BodyCheck };
`,
    ...Object.fromEntries(
      withQuery.map(({ id, schema }) => [`${folder}/queries/${id}.js`, queryModule(schema, model)]),
    ),
    [`${folder}/query-checks.js`]: `${HEADER}${withQuery
      .map(({ id }) => `import * as ${id} from ${quote(`./queries/${id}.js`)};\n`)
      .join('')}
/** The check of each operation's query parameters. */
export const QUERY_CHECKS = {
${withQuery.map(({ id }) => `${id},\n`).join('')}};
`,
    [`${folder}/query-checks.d.ts`]: `${HEADER}import type { QueryCheck } from '../../runtime/check-query.ts';
import type { OperationWithQuery } from './operations.ts';

export declare const QUERY_CHECKS: { readonly [O in OperationWithQuery]: QueryCheck };
`,
  };
};

const bodyModule = (schema: RestSchema, model: RestModel): string => {
  const code = compileModule(prepareBody(schema, model.schemas), '../../../runtime', {
    allErrors: true,
    useDefaults: true,
  });
  const conflicts = resolveConflicts(schema, model).map((conflict) => ({
    member: conflict.member,
    detail: conflictText(conflict),
  }));
  return `${HEADER}${code}
/** Pointers of the members whose values are never shown. */
export const secrets = ${literal(secretPointers(schema, model.schemas))};

/** The problem of each excluded combination, by its index in allOf. */
export const conflicts = ${literal(conflicts)};
`;
};

const queryModule = (schema: RestSchema, model: RestModel): string => {
  const { properties = {} } = resolve(schema, model.schemas);
  const integers = Object.keys(properties).filter(
    (name) => resolve(properties[name] ?? {}, model.schemas).type === 'integer',
  );
  return `${bodyModule(schema, model)}
/** Parameters that are numbers. */
export const integers = ${literal(integers)};
`;
};

const resolveConflicts = (schema: RestSchema, { schemas }: RestModel): readonly Conflict[] =>
  (resolve(schema, schemas) as RestSchema)['x-conflicts'] ?? [];

/** `not together with custody managed: the words …`. */
export const conflictText = ({ member, with: others, reason }: Conflict): string => {
  const names = Object.entries(others)
    .filter(([name]) => name !== member)
    .map(([name, value]) => (value === PRESENT ? name : `${name} ${value}`));
  const own = others[member];
  return `${own === undefined ? 'cannot be used' : `${memberName(own)} cannot be used`} with ${names.join(' and ')}: ${reason}`;
};
