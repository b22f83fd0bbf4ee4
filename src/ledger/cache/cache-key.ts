import { isMethodName, METHODS } from '../../../generated/ledger/methods.ts';
import type { Call } from '../../server/json-rpc/call.ts';

/** Longer params are not worth keeping: no cacheable call needs them. */
const MAX_PARAMS_BYTES = 1024;

/** `unfit`: the spec lets such answers be kept, but not this one's; `uncacheable`: the spec does not. */
export type CacheKey =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'unfit' }
  | { readonly kind: 'uncacheable' };

const UNFIT: CacheKey = { kind: 'unfit' };
const UNCACHEABLE: CacheKey = { kind: 'uncacheable' };

/**
 * What an answer is kept under: the method and the bytes of its params. Only methods that the spec declares `immutable`,
 * and `final` ones that ask for what is finalized, have a key (docs/decisions/cached-answers.md).
 */
export function cacheKeyOf({ method, params, rawParams, isNotification }: Call): CacheKey {
  if (isNotification || !isMethodName(method)) return UNCACHEABLE;
  const { cache, served } = METHODS[method];
  if (served === 'gateway' || (cache !== 'immutable' && cache !== 'final')) return UNCACHEABLE;
  if (cache === 'final' && !asksForFinalized(params)) return UNFIT;
  if (rawParams === undefined) return { kind: 'key', key: method };
  if (rawParams.length > MAX_PARAMS_BYTES) return UNFIT;
  return { kind: 'key', key: `${method} ${rawParams.toString('utf8')}` };
}

/** No config of the call names another commitment than `finalized`, which is what nodes take for granted. */
function asksForFinalized(params: unknown): boolean {
  return Array.isArray(params) && params.every(isFinalizedConfig);
}

function isFinalizedConfig(param: unknown): boolean {
  if (typeof param !== 'object' || param === null || !('commitment' in param)) return true;
  return param.commitment === undefined || param.commitment === null || param.commitment === 'finalized';
}
