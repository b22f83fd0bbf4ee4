import { callables, type LedgerModel, sentSchemas } from './ledger.ts';
import { childSchemas, refTitle, type Schema, type Schemas } from './schema.ts';

export type Position = 'param' | 'result';

/** Titles of the schemas that each position uses, through references; inline titles are included. */
export const reachedTitles = (model: LedgerModel): Readonly<Record<Position, ReadonlySet<string>>> => ({
  param: reach(
    callables(model).flatMap(({ params }) => params.map((param) => param.schema)),
    model.schemas,
  ),
  result: reach(sentSchemas(model), model.schemas),
});

/** Every schema that a schema uses through references, by title, in title order. */
export const reachedFrom = (schema: Schema, schemas: Schemas): ReadonlyMap<string, Schema> => {
  const reached = new Map<string, Schema>();
  const visit = (part: Schema): void => {
    const title = part.$ref === undefined ? undefined : refTitle(part.$ref);
    const target = title === undefined ? undefined : schemas.get(title);
    if (title !== undefined && target && !reached.has(title)) {
      reached.set(title, target);
      visit(target);
    }
    for (const [, child] of childSchemas(part)) visit(child);
  };
  visit(schema);
  return new Map([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The schema files that results and notifications use, by title. */
export const resultSchemas = (model: LedgerModel): Schemas => {
  const reached = new Set(
    sentSchemas(model).flatMap((schema) => [...reachedFrom(schema, model.schemas).keys()]),
  );
  return new Map([...model.schemas].filter(([title]) => reached.has(title)));
};

/** Every titled schema: those with a file of their own and those titled where they are used. */
export const titledSchemas = (model: LedgerModel): Schemas => {
  const found = new Map<string, Schema>(model.schemas);
  const visit = (schema: Schema): void => {
    if (schema.title !== undefined && schema.$ref === undefined && !found.has(schema.title))
      found.set(schema.title, schema);
    for (const [, child] of childSchemas(schema)) visit(child);
  };
  for (const schema of model.schemas.values()) visit(schema);
  for (const { params } of callables(model)) for (const param of params) visit(param.schema);
  for (const schema of sentSchemas(model)) visit(schema);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** True when any schema used by this one satisfies the test. */
export const someSchema = (schema: Schema, schemas: Schemas, test: (schema: Schema) => boolean): boolean => {
  const seen = new Set<Schema>();
  const visit = (part: Schema): boolean => {
    if (seen.has(part)) return false;
    seen.add(part);
    const target = part.$ref === undefined ? undefined : schemas.get(refTitle(part.$ref));
    return (
      test(part) ||
      (target !== undefined && visit(target)) ||
      childSchemas(part).some(([, child]) => visit(child))
    );
  };
  return visit(schema);
};

const reach = (roots: readonly Schema[], schemas: Schemas): ReadonlySet<string> => {
  const titles = new Set<string>();
  const visit = (schema: Schema): void => {
    const title = schema.$ref === undefined ? schema.title : refTitle(schema.$ref);
    if (title !== undefined && titles.has(title)) return;
    if (title !== undefined) titles.add(title);
    const target = schema.$ref === undefined ? undefined : schemas.get(refTitle(schema.$ref));
    if (target) for (const [, child] of childSchemas(target)) visit(child);
    if (target?.$ref !== undefined) visit(target);
    for (const [, child] of childSchemas(schema)) visit(child);
  };
  for (const root of roots) visit(root);
  return titles;
};
