import type { Callable } from '../model/method.ts';
import { hasOneErrorForBoth, resolve, type Schema, type Schemas } from '../model/schema.ts';
import type { Explanation, Explanations } from '../../runtime/explain-params.ts';
import { type Prepared, typeKeyword } from '../../runtime/value-keywords.ts';

/** The input of a method's params validator, and the meaning of its failures, by schema path. */
export type PreparedParams = { readonly schema: Prepared; readonly explanations: Explanations<string> };

/** Inlines every reference, turns our dialect into code keywords, and records the error of each keyword. */
export const prepareParams = (method: Callable, schemas: Schemas): PreparedParams => {
  const explanations: Record<string, Explanation<string>> = {};
  const items = method.params.map(({ schema, required }, index) =>
    prepare(schema, !required, `#/items/${index}`, schemas, explanations),
  );
  if (!method.span) return { schema: { type: 'array', items }, explanations };
  const { from, to, maximum, error } = method.span;
  const indexOf = (name: string): number => method.params.findIndex((param) => param.name === name);
  explanations['#/x-span'] = { error, limit: maximum, parameter: to };
  return {
    schema: { type: 'array', items, 'x-span': { from: indexOf(from), to: indexOf(to), maximum } },
    explanations,
  };
};

type Notes = Record<string, Explanation<string>>;

const prepare = (
  written: Schema,
  optional: boolean,
  path: string,
  schemas: Schemas,
  notes: Notes,
): Prepared => {
  if (optional) return { 'x-optional': prepare(written, false, `${path}/x-optional`, schemas, notes) };
  const schema = resolve(written, schemas);
  const note = (
    keyword: string,
    explanation: Omit<Explanation<string>, 'error'>,
    fallback?: Explanation<string>['error'],
  ): void => {
    const own = schema['x-errors']?.[specKeyword(keyword)];
    const error = own ?? fallback;
    if (error === undefined) throw new Error(`${path}/${keyword} has no error`);
    notes[`${path}/${keyword}`] = {
      error,
      ...explanation,
      ...((own !== undefined || isLate(keyword)) && { checked: true as const }),
    };
  };
  if (schema['x-lenient']) {
    const refused = Object.keys(schema['x-lenient']);
    if (refused.length > 0) note('x-lenient', {}, schema['x-lenient']);
    return { 'x-lenient': refused };
  }
  if (schema.anyOf) {
    if (schema['x-tagged']) {
      const tags = tagsOf(schema.anyOf, schemas);
      note('x-variants', { expected: alternatives(tags.map((tag) => `\`${tag}\``)), tags }, 'unknownVariant');
    } else note('x-variants', { expected: schema['x-expected'] ?? schema.title ?? '' }, 'noMatchingVariant');
    return {
      'x-variants': schema.anyOf.map((branch, index) =>
        prepare(branch, false, `${path}/x-variants/${index}`, schemas, notes),
      ),
    };
  }
  const expected = expectedOf(schema);
  const typed = typeKeyword(schema);
  for (const keyword of Object.keys(typed)) note(keyword, { expected }, 'invalidType');
  return {
    ...typed,
    ...values(schema, note),
    ...limits(schema, note),
    ...members(schema, path, schemas, notes, note),
  };
};

type Note = (
  keyword: string,
  explanation: Omit<Explanation<string>, 'error'>,
  fallback?: Explanation<string>['error'],
) => void;

/** Checks that a node makes after it has parsed the params. */
const isLate = (keyword: string): boolean => keyword === 'x-base58' || keyword === 'x-lenient';

/** The spec's keyword behind a prepared one. */
const specKeyword = (keyword: string): string =>
  ({
    'x-minimum': 'minimum',
    'x-maximum': 'maximum',
    'x-conflict': 'not',
    'x-refused': 'not',
    'x-variants': 'anyOf',
    'x-number': 'type',
  })[keyword] ?? keyword;

/** The expectation in serde's words. */
export const expectedOf = (schema: Schema): string => {
  if (schema['x-expected'] !== undefined) return schema['x-expected'];
  if (schema.type === 'integer') return schema['x-int'] ?? '';
  if (schema.type === 'object') return `struct ${schema.title ?? ''}`.trim();
  const words = {
    number: 'f64',
    string: 'a string',
    boolean: 'a boolean',
    array: 'a sequence',
    null: 'unit',
  };
  return schema.type === undefined ? '' : words[schema.type];
};

const values = (schema: Schema, note: Note): Prepared => {
  const allowed = schema.const === undefined ? schema.enum : [schema.const];
  if (!allowed) return {};
  note('enum', { expected: alternatives(allowed.map((value) => `\`${String(value)}\``)) }, 'unknownVariant');
  return { enum: allowed };
};

/** The names of a tagged union: single words, and the members of the objects. */
const tagsOf = (branches: readonly Schema[], schemas: Schemas): readonly string[] =>
  branches
    .map((branch) => resolve(branch, schemas))
    .flatMap(({ enum: words, required }) => (words ?? required ?? []).map(String));

/** serde's list: `a`, `a` or `b`, one of `a`, `b`, `c`. */
const alternatives = (names: readonly string[]): string =>
  names.length <= 2 ? names.join(' or ') : `one of ${names.join(', ')}`;

const limits = (schema: Schema, note: Note): Prepared => {
  const found: Record<string, unknown> = {};
  const add = (keyword: string, limit: number | undefined, shown = limit): void => {
    if (limit === undefined) return;
    const since = sinceOf(schema, specKeyword(keyword));
    note(keyword, { limit: shown ?? limit, ...(since !== undefined && { since }) });
    found[keyword] = limit;
  };
  add('x-minimum', schema.minimum, hasOneErrorForBoth(schema) ? schema.maximum : schema.minimum);
  add('x-maximum', schema.maximum);
  add('minLength', schema.minLength);
  add('maxLength', schema.maxLength);
  add('minItems', schema.minItems);
  add('maxItems', schema.maxItems);
  if (schema.pattern !== undefined) {
    note('pattern', {});
    found.pattern = schema.pattern;
  }
  const size = schema['x-base58'];
  if (size !== undefined) {
    note('x-base58', { limit: size }, ['invalidBase58', 'wrongSizeBase58']);
    found['x-base58'] = size;
  }
  return found;
};

/** The first node version with a limit, if not all have it. */
const sinceOf = ({ 'x-since': since }: Schema, keyword: string): string | undefined =>
  typeof since === 'object' ? since[keyword] : undefined;

const members = (schema: Schema, path: string, schemas: Schemas, notes: Notes, note: Note): Prepared => {
  const { properties, required = [], prefixItems, items, not } = schema;
  if (required.length > 0) note('required', {}, 'missingField');
  const ban =
    not && (not.enum ? { 'x-refused': not.enum } : { 'x-conflict': Object.keys(not.properties ?? {}) });
  for (const keyword of Object.keys(ban ?? {})) note(keyword, {});
  return {
    ...(required.length > 0 && { required }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .filter(([, member]) => !acceptsAnything(member, schemas))
          .map(([name, member]) => [
            name,
            prepare(member, !required.includes(name), `${path}/properties/${pathStep(name)}`, schemas, notes),
          ]),
      ),
    }),
    ...(prefixItems && {
      items: prefixItems.map((item, index) => prepare(item, false, `${path}/items/${index}`, schemas, notes)),
    }),
    ...(!prefixItems && items && { items: prepare(items, false, `${path}/items`, schemas, notes) }),
    ...ban,
  };
};

const acceptsAnything = (schema: Schema, schemas: Schemas): boolean => {
  const lenient = resolve(schema, schemas)['x-lenient'];
  return lenient !== undefined && Object.keys(lenient).length === 0;
};

/** A step of a schema path in Ajv's notation. */
const pathStep = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
