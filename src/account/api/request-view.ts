import type { LoggedRequest } from '../../../generated/account/types.ts';
import type { ListedRequest } from '../requests/list-requests.ts';
import { instantOf } from '../requests/request-store.ts';

/** The member of an answer that names the caller, by its kind. */
const CALLER = { key: 'key_id', token: 'token_id', member: 'member_id' } as const;

/** Returns a request as the account service shows it. */
export function toRequestView(row: ListedRequest): LoggedRequest {
  return {
    id: String(row.id),
    request_id: row.requestId,
    at: instantOf(row.id).toISOString(),
    protocol: row.protocol,
    ...present({ network: row.network }),
    method: row.method,
    [CALLER[row.callerKind]]: row.callerId,
    ...present({
      caller_name: row.callerName,
      status: row.status,
      error: row.error,
      rpc_code: row.rpcCode,
      duration_us: row.durationUs,
      bytes_in: row.bytesIn,
      bytes_out: row.bytesOut,
      node: row.node,
      params: row.params,
    }),
  };
}

/** Returns the members that are not null. */
function present<T extends object>(members: T): { readonly [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    readonly [K in keyof T]?: NonNullable<T[K]>;
  };
}
