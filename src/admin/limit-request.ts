import { MAX_REQUESTS } from '../account/limit-figure.ts';
import { serviceError } from '../base/service-error.ts';

/** A request about the limits of an account on the wallet service, checked. */
export type LimitRequest =
  /** `requests` per minute; undefined: the default of the specification. */
  | { readonly kind: 'wallet-limit'; readonly account: string; readonly requests: number | undefined }
  /** `requests` per second; undefined: the limit of the account's plan. */
  | { readonly kind: 'wallet-use-limit'; readonly account: string; readonly requests: number | undefined }
  | { readonly kind: 'wallet-limit.show'; readonly account: string }
  | { readonly kind: 'wallet-use-limit.show'; readonly account: string };

/** Checks how many requests an account may make. @throws ServiceError `invalidCommand`, naming the option. */
export function readRequests(requests: unknown, option: string): number | undefined {
  if (requests === undefined) return undefined;
  if (Number.isSafeInteger(requests) && Number(requests) > 0 && Number(requests) <= MAX_REQUESTS)
    return Number(requests);
  throw serviceError('invalidCommand', {
    reason: `${option} must be a whole number from 1 to ${MAX_REQUESTS}`,
  });
}
