import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import { limitsOf, resultLimit } from '../../model/param-parts.ts';

/** What a doc comment says of a method: summary, description, limits of its params and its result. */
export const methodDoc = (method: Method, model: LedgerModel): string => {
  const limits = limitsOf(method, model).map(({ name, text, error }) => `${name}: ${text} (${error})`);
  const entries = resultLimit(method, model);
  const lines = [
    method.summary,
    ...(method.description === undefined ? [] : [method.description.trim()]),
    ...limits,
    ...(entries === undefined ? [] : [`result: ${entries}`]),
  ];
  return lines.join('\n');
};
