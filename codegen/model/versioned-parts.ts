import type { Json } from '../json.ts';
import type { LedgerModel } from './ledger.ts';
import type { Callable } from './method.ts';
import { paramParts } from './param-parts.ts';
import type { Fallback } from './schema.ts';

/** A member of a param that only newer nodes know; older ones ignore it. */
export type VersionedPart = {
  /** As documents name it: `config.minContextSlot`. */
  readonly name: string;
  /** Position of the param. */
  readonly index: number;
  /** Members on the way to it. */
  readonly path: readonly string[];
  readonly since: string;
  /** A value that asks for what older nodes do anyway. */
  readonly default?: Json;
  readonly fallback?: Fallback;
};

/** The members that only newer nodes know, of everything that is called. */
export const versionedParts = (
  call: Callable,
  model: Pick<LedgerModel, 'schemas'>,
): readonly VersionedPart[] =>
  paramParts(call, model).flatMap(({ name, index, hops, schema }) => {
    const { 'x-since': since, 'x-fallback': fallback, default: value } = schema;
    if (typeof since !== 'string') return [];
    return [
      {
        name,
        index,
        path: hops.map(({ step }) => String(step)),
        since,
        ...(value !== undefined && { default: value }),
        ...(fallback !== undefined && { fallback }),
      },
    ];
  });
