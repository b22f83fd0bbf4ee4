import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Callable, Method } from '../../model/method.ts';
import type { Subscription } from '../../model/subscription.ts';
import { type Position, reachedTitles, someSchema, titledSchemas } from '../../model/reach.ts';
import { type Schema, refTitle } from '../../model/schema.ts';
import { docComment, HEADER, memberName } from '../../text.ts';
import { callDoc, methodDoc } from './method-doc.ts';
import { isWide, type NameOf, typeOf } from './type-of.ts';

/** A type of the document, as TypeScript. */
export type Declaration = {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: string;
};

/** One type per titled schema, two if params and results differ; and their names. */
export const declareTypes = (
  model: LedgerModel,
): { readonly declarations: readonly Declaration[]; readonly nameOf: NameOf } => {
  const reached = reachedTitles(model);
  const titled = titledSchemas(model);
  const split = new Set(
    [...titled].filter(([title, schema]) => needsBoth(title, schema, model, reached)).map(([title]) => title),
  );
  const nameOf: NameOf = (title, position) =>
    position === 'param' && split.has(title) ? `${title}Param` : title;
  const declare = (title: string, schema: Schema, position: Position): Declaration => ({
    name: nameOf(title, position),
    description: schema.description,
    type: typeOf(schema, position, nameOf),
  });
  const declarations = [...titled].flatMap(([title, schema]) => {
    const position = reached.param.has(title) && !reached.result.has(title) ? 'param' : 'result';
    return [declare(title, schema, position), ...(split.has(title) ? [declare(title, schema, 'param')] : [])];
  });
  return { declarations, nameOf };
};

/** ledger/types.ts: one type per titled schema, the params and results of every method, and those of subscriptions. */
export const renderTypes = (model: LedgerModel): Files => {
  const { declarations, nameOf } = declareTypes(model);
  const methods = (line: (method: Method) => string): string => model.methods.map(line).join('');
  return {
    'ledger/types.ts': `${HEADER}
${declarations.map(({ name, description, type }) => `${docComment(description)}export type ${name} = ${type};\n\n`).join('')}
/** The positional params of each method. Optional ones may be null, which means absent. */
export interface MethodParams {
${methods((method) => `${docComment(methodDoc(method, model))}readonly ${memberName(method.name)}: ${paramsType(method, nameOf)};\n`)}}

/** The result of each method. */
export interface MethodResults {
${methods((method) => `${docComment(method.result.description)}readonly ${memberName(method.name)}: ${use(method.result.schema, 'result', nameOf)};\n`)}}
${subscriptionTypes(model, nameOf)}`,
  };
};

const subscriptionTypes = (model: LedgerModel, nameOf: NameOf): string => {
  if (model.subscriptions.length === 0) return '';
  const subscriptions = (line: (item: Subscription) => string): string =>
    model.subscriptions.map(line).join('');
  return `
/** The positional params of each subscribe call. Optional ones may be null, which means absent. */
export interface SubscriptionParams {
${subscriptions((item) => `${docComment(callDoc(item, model))}readonly ${memberName(item.name)}: ${paramsType(item, nameOf)};\n`)}}

/** The type of \`params.result\` in the notifications of each subscription. */
export interface SubscriptionNotifications {
${subscriptions((item) => `${docComment(item.notification.description)}readonly ${memberName(item.name)}: ${use(item.notification.schema, 'result', nameOf)};\n`)}}
`;
};

/** True for a schema of both positions whose type differs between them: it has wide integers or optional members. */
const needsBoth = (
  title: string,
  schema: Schema,
  model: LedgerModel,
  reached: ReturnType<typeof reachedTitles>,
): boolean =>
  reached.param.has(title) &&
  reached.result.has(title) &&
  someSchema(schema, model.schemas, (part) => isWide(part) || hasOptionalMember(part));

const hasOptionalMember = (schema: Schema): boolean =>
  Object.keys(schema.properties ?? {}).some((name) => !schema.required?.includes(name));

const use = (schema: Schema, position: Position, nameOf: NameOf): string => {
  if (schema.$ref !== undefined) return nameOf(refTitle(schema.$ref), position);
  return schema.title !== undefined ? nameOf(schema.title, position) : typeOf(schema, position, nameOf);
};

const paramsType = (method: Callable, nameOf: NameOf): string =>
  `readonly [${method.params
    .map(
      ({ name, required, schema }) =>
        `${name}${required ? '' : '?'}: ${use(schema, 'param', nameOf)}${required ? '' : ' | null'}`,
    )
    .join(', ')}]`;
