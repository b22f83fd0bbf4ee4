import type { Json, JsonObject } from '../../json.ts';
import { resolve } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import { PRESENT, type RestSchema } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { JSON_VALUES } from '../json-values.ts';
import { goodRequest, provoked } from './requests.ts';

/** Creates a body with a value at a checked place. */
type Member = {
  readonly pointer: string;
  readonly schema: RestSchema;
  readonly place: (value: Json) => JsonObject;
};

/** Invalid bodies: wrong types and words, values beyond a limit, missing and conflicting members; and valid values at a limit. */
export const bodyCases = (operation: Operation, model: RestModel): readonly RestCase[] => {
  if (!operation.body) return [];
  const schema: RestSchema = resolve(operation.body.schema, model.schemas);
  const members = membersOf(schema, model, minimal(schema, model), '');
  const refused = (kind: RestCase['kind'], name: string, body: Json, pointer: string): RestCase => ({
    operation: operation.id,
    name,
    kind,
    request: provoked(operation, goodRequest(operation), { body }),
    expect: {
      kind: 'problem',
      status: 400,
      code: 'body_invalid',
      pointer,
      headers: model.head['x-headers'].every ?? [],
    },
  });
  const taken = (name: string, body: Json, pointer: string): RestCase => ({
    operation: operation.id,
    name,
    kind: 'limit',
    request: provoked(operation, goodRequest(operation), { body }),
    expect: { kind: 'not-refused', pointer },
  });
  return [
    ...members.flatMap((member) => [
      ...JSON_VALUES.filter(([type]) => !isTaken(type, member.schema)).map(([type, value]) =>
        refused('type', `${member.pointer} as ${type}`, member.place(value), member.pointer),
      ),
      ...(member.schema.enum
        ? [
            refused(
              'type',
              `${member.pointer} as a word of no meaning`,
              member.place(unheardOf(member.schema)),
              member.pointer,
            ),
          ]
        : []),
      ...edges(member).map(({ name, value, isInside, below = '' }) => {
        const [title, body, place] = [
          `${member.pointer} ${name}`,
          member.place(value),
          member.pointer + below,
        ];
        return isInside ? taken(title, body, place) : refused('limit', title, body, place);
      }),
    ]),
    ...(schema.required ?? []).map((name) =>
      refused('type', `without ${name}`, omit(minimal(schema, model), name), `/${name}`),
    ),
    ...Object.entries(schema.dependentRequired ?? {}).flatMap(([name, others]) =>
      others.map((other) =>
        refused(
          'conflict',
          `${name} without ${other}`,
          { ...minimal(schema, model), [name]: sample(schema.properties?.[name], model) },
          `/${name}`,
        ),
      ),
    ),
    ...(schema['x-conflicts'] ?? []).map(({ member, with: others }) => {
      const present = Object.fromEntries(
        [
          ...Object.entries(others),
          ...(others[member] === undefined ? [[member, PRESENT] as const] : []),
        ].map(([name, value]) => [
          name,
          value === PRESENT ? sample(schema.properties?.[name], model) : value,
        ]),
      );
      const names = Object.keys(others).filter((name) => name !== member);
      return refused(
        'conflict',
        `${member} with ${names.map((name) => (others[name] === PRESENT ? name : `${name} ${others[name]}`)).join(' and ')}`,
        { ...minimal(schema, model), ...present },
        `/${member}`,
      );
    }),
  ];
};

const TAKEN: Readonly<Record<string, string>> = {
  integer: 'an integer',
  string: 'a string',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

/** Words that an enumeration lacks are separate cases. */
const isTaken = (type: string, schema: RestSchema): boolean => TAKEN[schema.type ?? ''] === type;

const unheardOf = (schema: RestSchema): Json => (schema.type === 'integer' ? 13 : 'unheard-of');

export type Edge = {
  readonly name: string;
  readonly value: Json;
  readonly isInside: boolean;
  /** The inner member that a refusal names. */
  readonly below?: string;
};

export const edges = ({ schema }: Pick<Member, 'schema'>): readonly Edge[] => {
  const { minimum, maximum, minLength, maxLength } = schema;
  const range = schema['x-last-index'];
  const last = range && schema.properties?.[range.from]?.maximum;
  const bytes = schema['x-max-bytes'];
  return [
    ...(minimum === undefined
      ? []
      : [at(`at its minimum ${minimum}`, minimum, true), at(`below its minimum`, minimum - 1, false)]),
    ...(maximum === undefined
      ? []
      : [at(`at its maximum ${maximum}`, maximum, true), at(`above its maximum`, maximum + 1, false)]),
    ...(minLength === undefined ? [] : [at('empty', '', false)]),
    ...(maxLength === undefined || bytes !== undefined
      ? []
      : [
          at(`of ${maxLength} characters`, repeat('a', maxLength), schema['x-guard'] !== true),
          at(`of ${maxLength + 1} characters`, repeat('a', maxLength + 1), false),
        ]),
    ...(bytes === undefined
      ? []
      : [
          at(`of ${bytes} bytes`, repeat('ab', bytes), true),
          at(`of ${bytes + 1} bytes`, repeat('ab', bytes + 1), false),
        ]),
    ...(range && last !== undefined
      ? [
          {
            ...at('up to the last index', { [range.from]: last, [range.count]: 1 }, true),
            below: `/${range.count}`,
          },
          {
            ...at('beyond the last index', { [range.from]: last, [range.count]: 2 }, false),
            below: `/${range.count}`,
          },
        ]
      : []),
  ];
};

const at = (name: string, value: Json, isInside: boolean): Edge => ({ name, value, isInside });

/** A text that the run expands. */
const repeat = (text: string, times: number): JsonObject => ({ $repeat: text, times });

/** The members of a body, and those of the objects in it. */
const membersOf = (schema: RestSchema, model: RestModel, base: JsonObject, at: string): readonly Member[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, written]) => {
    const member: RestSchema = resolve(written, model.schemas);
    const needed = Object.fromEntries(
      (schema.dependentRequired?.[name] ?? []).map((other) => [
        other,
        sample(schema.properties?.[other], model),
      ]),
    );
    const hex = member['x-max-bytes'] === undefined ? {} : { encoding: 'hex' };
    const place = (value: Json): JsonObject => ({ ...base, ...needed, ...hex, [name]: value });
    const pointer = `${at}/${name}`;
    return [
      { pointer, schema: member, place },
      ...(member.type === 'object'
        ? membersOf(member, model, minimal(member, model), pointer).map((inner) => ({
            ...inner,
            place: (value: Json) => place(inner.place(value)),
          }))
        : []),
    ];
  });

/** The smallest body. */
const minimal = (schema: RestSchema, model: RestModel): JsonObject =>
  Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name], model)]));

const sample = (written: RestSchema | undefined, model: RestModel): Json => {
  const schema: RestSchema = written ? resolve(written, model.schemas) : {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0] ?? null;
  if (schema.examples) return schema.examples[0] ?? null;
  if (schema.type === 'integer') return schema.minimum ?? 0;
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items || undefined, model));
  return schema.type === 'object' ? {} : 'abcd';
};

const omit = (body: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
