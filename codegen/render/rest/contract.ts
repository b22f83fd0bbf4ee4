import type { Files } from '../../area.ts';
import { refTitle, resolve } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import type { RestSchema, RestSchemas } from '../../model/rest/schema.ts';
import { namesOf } from '../../model/rest/service.ts';
import { docComment, HEADER, memberName, quote } from '../../text.ts';

/** contract.ts: the operations as a @ts-rest/core contract, which carries their types and their entries; nothing in it validates. */
export const renderTsRestContract = ({ operations, schemas, service }: RestModel): Files => {
  const routes = operations.map((operation) => route(operation, schemas)).join('');
  const used = ['StreamBody', 'WithDefaults'].filter((name) => routes.includes(name)).join(', ');
  return {
    [`${service.folder}/contract.ts`]: `${HEADER}import { initContract } from '@ts-rest/core';
${used === '' ? '' : `import type { ${used} } from '../../runtime/rest-operation.ts';\n`}import { OPERATIONS } from './operations.ts';
import type * as T from './types.ts';

const c = initContract();

/** The operations of the ${service.title.toLowerCase()}, with bodies and queries as they are after their checks. Refusals are problems. */
export const ${namesOf(service).lower}Contract = c.router({
${routes}});
`,
  };
};

const route = (operation: Operation, schemas: RestSchemas): string => {
  const { id, method, path, summary, body, query, success } = operation;
  return `${docComment(summary)}${id}: {
method: ${quote(method.toUpperCase())},
path: ${quote(path.replaceAll(/\{(\w+)\}/g, ':$1'))},
${
  body
    ? `body: c.type<${checkedType(body.schema, schemas)}>(),\n`
    : method === 'get'
      ? ''
      : 'body: c.noBody(),\n'
}${query ? `query: c.type<${checkedType(query, schemas)}>(),\n` : ''}responses: { ${success.status}: c.type<${answerType(operation)}>() },
metadata: OPERATIONS.${id},
},
`;
};

const answerType = ({ success }: Operation): string =>
  [
    ...success.content.flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [nameOf(schema.$ref)])),
    ...(success.content.some(({ itemSchema }) => itemSchema) ? ['StreamBody'] : []),
  ].join(' | ');

/** The type of a schema after its check: members with a default are there. `type`: its type if it has no name. */
const checkedType = (written: RestSchema, schemas: RestSchemas, type = 'object'): string => {
  const sent = written.$ref === undefined ? type : nameOf(written.$ref);
  const { properties = {}, required = [] }: RestSchema = resolve(written, schemas);
  const filled = Object.entries(properties).flatMap(([name, member]) => {
    const inner = checkedType(member, schemas, `Required<${sent}>[${quote(name)}]`);
    const hasDefault = resolve(member, schemas).default !== undefined;
    const isThere = hasDefault || required.includes(name);
    return hasDefault || inner.startsWith(FILLED)
      ? [`${memberName(name)}${isThere ? '' : '?'}: ${inner}`]
      : [];
  });
  return filled.length === 0 ? sent : `${FILLED}${sent}, { ${filled.join('; ')} }>`;
};

const FILLED = 'WithDefaults<';

const nameOf = (ref: string): string => `T.${refTitle(ref)}`;
