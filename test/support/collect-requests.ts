import type { RequestRow } from '../../src/account/requests/request-store.ts';
import type { RequestLog } from '../../src/server/access/request-log.ts';

/** A log of requests that keeps every row in memory; `params` are kept while `keeps.params` is true. */
export function collectRequests() {
  const rows: RequestRow[] = [];
  const keeps = { params: false };
  const requests: RequestLog = {
    wants: () => true,
    note: (accountId, { id, protocol, network }, noted) =>
      void rows.push({ accountId, atMs: 0, requestId: id, protocol, network, ...noted }),
    keepsParams: () => keeps.params,
    dropped: { rate: 0, error_rate: 0, total_rate: 0, waiting: 0, store: 0 },
    waiting: () => 0,
    flush: async () => undefined,
    close: async () => undefined,
  };
  return { requests, rows, keeps };
}
