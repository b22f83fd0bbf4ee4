import { METHODS } from '../../../generated/ledger/methods.ts';
import type { Call } from '../../rpc/call.ts';

/** Calls with longer params are hardly ever repeated. */
const MAX_PARAMS_BYTES = 1024;

/**
 * `isSlotBound`: the answer is valid for one slot time, otherwise for ever. `unfit`: the spec lets such answers be kept, but
 * not this one; `uncacheable`: the spec does not.
 */
export type CacheKey =
  | { readonly kind: 'key'; readonly key: string; readonly isSlotBound: boolean }
  | { readonly kind: 'unfit' }
  | { readonly kind: 'uncacheable' };

const UNFIT: CacheKey = { kind: 'unfit' };
const UNCACHEABLE: CacheKey = { kind: 'uncacheable' };

/** The commitments at which answers are kept. Nodes default to `finalized`. */
const KEPT_AT: Readonly<Record<'final' | 'slot', readonly unknown[]>> = {
  final: [undefined, null, 'finalized'],
  slot: [undefined, null, 'finalized', 'confirmed'],
};

/** The validity of each cacheable method's answers. */
const HOLDS: ReadonlyMap<string, 'immutable' | 'final' | 'slot'> = new Map(
  Object.values(METHODS).flatMap(({ name, cache, served }) =>
    served === 'gateway' || cache === 'none' ? [] : [[name, cache] as const],
  ),
);

/** True if the spec lets answers of the method be kept. */
export function isCacheable({ method }: Call): boolean {
  return HOLDS.has(method);
}

/**
 * Returns the key of a call's answer: the method and the bytes of its params. Only methods that the spec declares `immutable`,
 * `final` ones that ask for finalized data, and `slot` ones that do not ask for processed data, have a key
 * (docs/decisions/0011-cached-answers.md).
 */
export function cacheKeyOf({ method, params, raw, paramsAt, isNotification }: Call): CacheKey {
  const cache = HOLDS.get(method);
  if (isNotification || cache === undefined) return UNCACHEABLE;
  if (cache !== 'immutable' && !asksAt(KEPT_AT[cache], params)) return UNFIT;
  const isSlotBound = cache === 'slot';
  if (paramsAt === undefined) return { kind: 'key', key: method, isSlotBound };
  const { start, end } = paramsAt;
  if (end - start > MAX_PARAMS_BYTES) return UNFIT;
  return { kind: 'key', key: `${method} ${raw.toString('utf8', start, end)}`, isSlotBound };
}

/** True if no config of the call names any other commitment. */
function asksAt(commitments: readonly unknown[], params: unknown): boolean {
  return (Array.isArray(params) ? params : [params]).every((param) =>
    commitments.includes(commitmentOf(param)),
  );
}

function commitmentOf(param: unknown): unknown {
  return typeof param === 'object' && param !== null && 'commitment' in param ? param.commitment : undefined;
}
