import type { LedgerModel } from '../../model/ledger.ts';
import type { Files } from '../../area.ts';
import { resultSchemas, someSchema } from '../../model/reach.ts';
import { refTitle, resolve, type Schema, type Schemas } from '../../model/schema.ts';
import { HEADER, literal, memberName } from '../../text.ts';
import { isWide } from './type-of.ts';

/** ledger/decoders.ts: the positions of wide integers in each result and notification. */
export const renderDecoders = (model: LedgerModel): Files => {
  const { methods, subscriptions, common, schemas } = model;
  const named = [...resultSchemas(model)].filter(([, schema]) => isDeep(schema, schemas) && !isWide(schema));
  const declared = new Map(
    named.map(([title, schema]) => [title, `const decode${title}: Decode = ${decoder(schema, schemas)};\n`]),
  );
  const entry = (name: string, schema: Schema): string =>
    `${memberName(name)}: ${decoder(schema, schemas)},\n`;
  const results = methods.map(({ name, result }) => entry(name, result.schema)).join('');
  const notifications = subscriptions
    .map(({ name, notification }) => entry(name, notification.schema))
    .join('');
  const gap = decoder(common.gap.schema, schemas);
  const table = `${results}${notifications}${gap};`;
  const used = usedBy(table, declared);
  const decoders = [...declared]
    .filter(([title]) => used.has(title))
    .map(([, text]) => text)
    .join('');
  const imports = [
    'type Decode',
    ...COMBINATORS.filter((name) => new RegExp(`\\b${name}\\b[(,;\\n }\\]]`).test(decoders + table)),
  ].join(', ');
  return {
    'ledger/decoders.ts': `${HEADER}import { ${imports} } from '../../runtime/decode.ts';
import type { MethodName } from './methods.ts';
import type { SubscriptionName } from './subscriptions.ts';

${decoders}
/** Turns the wide integers of each method's result into bigint. */
export const DECODERS: { readonly [M in MethodName]: Decode } = {
${results}};

/** The same of each subscription's notifications. */
export const NOTIFICATION_DECODERS: { readonly [S in SubscriptionName]: Decode } = {
${notifications}};

/** The same of the notice of a gap. */
export const DECODE_GAP: Decode = ${gap};
`,
  };
};

const COMBINATORS = ['either', 'keep', 'later', 'list', 'map', 'members', 'tuple', 'wide'] as const;

/** Titles of the decoders that a text calls, directly or indirectly. */
const usedBy = (
  text: string,
  declared: ReadonlyMap<string, string>,
  found = new Set<string>(),
): ReadonlySet<string> => {
  for (const [, title] of text.matchAll(/\bdecode(\w+)\)/g)) {
    if (title === undefined || found.has(title)) continue;
    found.add(title);
    usedBy(declared.get(title) ?? '', declared, found);
  }
  return found;
};

/** True when the schema contains wide integers. */
const isDeep = (schema: Schema, schemas: Schemas): boolean => someSchema(schema, schemas, isWide);

const decoder = (schema: Schema, schemas: Schemas): string => {
  if (!isDeep(schema, schemas)) return 'keep';
  const inner = (part: Schema): string => decoder(part, schemas);
  if (schema.$ref !== undefined)
    return isWide(resolve(schema, schemas)) ? 'wide' : `later(() => decode${refTitle(schema.$ref)})`;
  if (isWide(schema)) return 'wide';
  if (schema.anyOf) return union(schema.anyOf, schemas);
  if (schema.prefixItems) return `tuple(${schema.prefixItems.map(inner).join(', ')})`;
  if (schema.items) return `list(${inner(schema.items)})`;
  if (typeof schema.additionalProperties === 'object') return `map(${inner(schema.additionalProperties)})`;
  const deep = Object.entries(schema.properties ?? {}).filter(([, member]) => isDeep(member, schemas));
  return `members({ ${deep.map(([name, member]) => `${memberName(name)}: ${inner(member)}`).join(', ')} })`;
};

/** A single non-null branch needs no choice: null passes every decoder. */
const union = (branches: readonly Schema[], schemas: Schemas): string => {
  const present = branches.filter((branch) => resolve(branch, schemas).type !== 'null');
  const [only] = present;
  if (only && present.length === 1) return decoder(only, schemas);
  return `either(${flatten(present, schemas)
    .map((branch) => `[${literal(shapeOf(branch, schemas, 3))}, ${decoder(branch, schemas)}]`)
    .join(', ')})`;
};

/** Unions inside a union become alternatives of the outer one. */
const flatten = (branches: readonly Schema[], schemas: Schemas): readonly Schema[] =>
  branches.flatMap((branch) => {
    const { anyOf } = resolve(branch, schemas);
    return anyOf ? flatten(anyOf, schemas) : [branch];
  });

const ANY = { types: ['null', 'boolean', 'number', 'string', 'array', 'object'] };

const shapeOf = (part: Schema, schemas: Schemas, depth: number): object => {
  const schema = resolve(part, schemas);
  if (schema.const !== undefined) return { values: [schema.const] };
  if (schema.enum) return { values: schema.enum };
  if (schema.anyOf) {
    const types = schema.anyOf.map((branch) => resolve(branch, schemas)).map(({ type }) => type);
    return types.every((type) => type !== undefined) ? { types: [...new Set(types.map(wireType))] } : ANY;
  }
  if (schema.type === undefined) return ANY;
  if (schema.type !== 'object' || depth === 0 || schema['x-map']) return { types: [wireType(schema.type)] };
  const shapes = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, shapeOf(member, schemas, depth - 1)] as const,
  );
  return {
    required: schema.required ?? [],
    members: Object.fromEntries(shapes),
    closed: schema.additionalProperties === false,
  };
};

const wireType = (type: string | undefined): string => (type === 'integer' ? 'number' : (type ?? ''));
