import type { LedgerModel } from '../../model/ledger.ts';
import type { Callable, Method } from '../../model/method.ts';
import { limitsOf, resultLimit } from '../../model/param-parts.ts';

/** The doc comment of a method: summary, description, limits of its params and its result. */
export const methodDoc = (method: Method, model: LedgerModel): string => {
  const entries = resultLimit(method, model);
  return [callDoc(method, model), ...(entries === undefined ? [] : [`result: ${entries}`])].join('\n');
};

/** The doc comment of any call, without its result. */
export const callDoc = (call: Callable, model: LedgerModel): string =>
  [
    call.summary,
    ...(call.description === undefined ? [] : [call.description.trim()]),
    ...limitsOf(call, model).map(({ name, text, error }) => `${name}: ${text} (${error})`),
  ].join('\n');
