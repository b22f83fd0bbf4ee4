import { refTitle, resolve } from '../../model/schema.ts';
import type { RestSchema, RestSchemas } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { HEADER, memberName, quote } from '../../text.ts';

/** checked-types.ts: bodies and query parameters after their checks, derived from what clients send. */
export const checkedTypes = ({ operations, schemas }: RestModel): string => {
  const bodies = operations.map(({ id, body }) => {
    const type = body && checked(body.schema, `Body<${quote(id)}>`, schemas);
    return `readonly ${id}: ${type ?? 'undefined'};\n`;
  });
  const queries = operations.map(({ id, query }) => {
    const type = query && checked(query, 'object', schemas);
    return `readonly ${id}: ${type ?? 'undefined'};\n`;
  });
  const text = [...bodies, ...queries].join('');
  const titles = [...schemas.keys()].filter((title) => new RegExp(`\\b${title}\\b`).test(text));
  const named = [...titles, ...(text.includes('Body<') ? ['operations'] : [])];
  return `${HEADER}import type { ${named.join(', ')} } from './types.ts';

${text.includes('Body<') ? BODY : ''}/** What has a default is there. */
type WithDefaults<Sent, Filled> = Omit<Sent, keyof Filled> & Readonly<Filled>;

/** The body of an operation after checkBody: what has a default is there. */
export type CheckedBodies = {
${bodies.join('')}};

/** The query parameters of an operation after checkQuery: what has a default is there. */
export type CheckedQueries = {
${queries.join('')}};
`;
};

const BODY = `type Body<O extends keyof operations> = NonNullable<operations[O]['requestBody']>['content']['application/json'];

`;

/** The type of a schema after a check; `type` is what it is where it has no name. */
const checked = (written: RestSchema, type: string, schemas: RestSchemas): string => {
  const sent = written.$ref === undefined ? type : refTitle(written.$ref);
  const { properties = {}, required = [] }: RestSchema = resolve(written, schemas);
  const filled = Object.entries(properties).flatMap(([name, member]) => {
    const memberType = `Required<${sent}>[${quote(name)}]`;
    const inner = checked(member, memberType, schemas);
    const hasDefault = resolve(member, schemas).default !== undefined;
    const isThere = hasDefault || required.includes(name);
    return hasDefault || inner.startsWith(FILLED)
      ? [`${memberName(name)}${isThere ? '' : '?'}: ${inner}`]
      : [];
  });
  return filled.length === 0 ? sent : `${FILLED}${sent}, { ${filled.join('; ')} }>`;
};

const FILLED = 'WithDefaults<';
