import { fits } from '../../../../runtime/branches.ts';
import type { Definitions, ResultSchema } from '../../../../runtime/result-schema.ts';
import { openrpcDocument } from '../../../../src/gateway/ledger/openrpc-document.ts';

/** A valid message of a node that the specification shows. */
export type ShownMessage = {
  /** The method, or the notification. */
  readonly name: string;
  readonly isNotification: boolean;
  readonly schema: ResultSchema;
  /** The result, or what the notification tells. */
  readonly value: unknown;
};

type Sent = { readonly name: string; readonly schema: ResultSchema };
type Shown = {
  readonly name: string;
  readonly result: Sent;
  readonly examples: readonly { readonly result: { readonly value: unknown } }[];
  readonly 'x-subscription'?: {
    readonly notification: Sent;
    readonly examples: readonly { readonly notifications: readonly unknown[] }[];
  };
};
type Document = {
  readonly methods: readonly Shown[];
  readonly components: { readonly schemas: Definitions };
};

/** The text of the OpenRPC document. */
export const DOCUMENT = openrpcDocument();

const { methods, components } = JSON.parse(
  DOCUMENT.replaceAll('#/components/schemas/', '#/$defs/'),
  (name, value) => (name === 'schema' || name === 'schemas' ? inLaterDialect(value) : value),
) as Document;

/** Tuples and references in the dialect that the contract tables have, which is a later one. */
function inLaterDialect(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLaterDialect);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.entries(value).map(([name, member]) => [name, inLaterDialect(member)] as const);
  const { items, additionalItems, allOf, ...rest } = Object.fromEntries(own);
  if (Array.isArray(allOf)) return { ...rest, ...allOf[0] };
  return Array.isArray(items)
    ? { ...rest, prefixItems: items, items: additionalItems }
    : Object.fromEntries(own);
}

/** Every result and every notification of the examples. */
export const SHOWN: readonly ShownMessage[] = methods.flatMap((method) => {
  const { name, result, examples, 'x-subscription': subscription } = method;
  const told = subscription?.notification;
  return [
    ...examples.map((each) => ({
      name,
      isNotification: false,
      schema: result.schema,
      value: each.result.value,
    })),
    ...(told === undefined ? [] : (subscription?.examples ?? []))
      .flatMap(({ notifications }) => notifications)
      .map((value) => ({
        name: told?.name ?? '',
        isNotification: true,
        schema: told?.schema ?? {},
        value,
      })),
  ];
});

/** An object that is closed: the steps to it in a value, and the path that names it. */
export type Place = { readonly steps: readonly (string | number)[]; readonly path: string };

/** The closed objects of a valid value. Found by its branches that fit, and by nothing of what is tested with it. */
export function closedObjects(schema: ResultSchema, value: unknown): readonly Place[] {
  const found: Place[] = [];
  const walk = (part: ResultSchema, data: unknown, steps: Place['steps'], path: string): void => {
    const form = settle(part);
    const branch = form.anyOf?.find((each) => fits(each, data, components.schemas));
    const { properties = {}, prefixItems = [], items, additionalProperties } = form;
    if (branch !== undefined) {
      walk(branch, data, steps, path);
    } else if (Array.isArray(data)) {
      data.forEach((item, index) => {
        const own = prefixItems[index];
        if (own !== undefined) walk(own, item, [...steps, index], `${path}[${index}]`);
        else if (typeof items === 'object') walk(items, item, [...steps, index], `${path}[]`);
      });
    } else if (typeof data === 'object' && data !== null) {
      if (additionalProperties === false) found.push({ steps, path });
      for (const [name, member] of Object.entries(data)) {
        const own = properties[name];
        if (own !== undefined) walk(own, member, [...steps, name], `${path}.${name}`);
        else if (typeof additionalProperties === 'object')
          walk(additionalProperties, member, [...steps, name], `${path}{}`);
      }
    }
  };
  walk(schema, value, [], '');
  return found;
}

function settle(schema: ResultSchema): ResultSchema {
  const target =
    schema.$ref === undefined ? schema : components.schemas[schema.$ref.slice('#/$defs/'.length)];
  if (target === undefined) throw new Error(`no ${schema.$ref}`);
  return target === schema ? schema : settle(target);
}
