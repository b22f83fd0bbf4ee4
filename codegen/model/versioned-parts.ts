import type { Json } from '../json.ts';
import type { LedgerModel } from './ledger.ts';
import type { Callable } from './method.ts';
import { type ParamPart, paramParts } from './param-parts.ts';
import type { Fallback } from './schema.ts';

/** A member of a param that only newer nodes know; older ones ignore it. */
export type VersionedPart = {
  /** Its name in documents: `config.minContextSlot`. */
  readonly name: string;
  /** Position of the param. */
  readonly index: number;
  /** Members on the way to it. */
  readonly path: readonly string[];
  readonly since: string;
  /** A value that requests the behaviour of older nodes. */
  readonly default?: Json;
  /** The only values with an effect, if nodes treat any other as the default. */
  readonly values?: readonly Json[];
  readonly fallback?: Fallback;
};

/** The members that only newer nodes know, of everything that is called. */
export const versionedParts = (
  call: Callable,
  model: Pick<LedgerModel, 'schemas'>,
): readonly VersionedPart[] =>
  paramParts(call, model).flatMap(({ name, index, hops, schema }, _, parts) => {
    const { 'x-since': since, 'x-fallback': fallback, default: value, enum: values } = schema;
    if (typeof since !== 'string') return [];
    const path = pathOf({ hops });
    return [
      {
        // A config that is an alternative to a scalar is named as if it were alone.
        name: parts.findLast((part) => pathOf(part).join() === path.join())?.name ?? name,
        index,
        path,
        since,
        ...(value !== undefined && { default: value }),
        ...(schema['x-lenient'] && values !== undefined && { values }),
        ...(fallback !== undefined && { fallback }),
      },
    ];
  });

const pathOf = ({ hops }: Pick<ParamPart, 'hops'>): readonly string[] => hops.map(({ step }) => String(step));
