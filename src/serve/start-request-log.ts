import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Config } from '../../generated/config.ts';
import type { RecordedParams } from '../account/requests/recorded-params.ts';
import { addRequests, purgeRequests, type RequestRow } from '../account/requests/request-store.ts';
import type { Clock } from '../core/clock.ts';
import { repeatSteps } from '../core/repeat-steps.ts';
import { createRequestLog, type RequestLog } from '../server/access/request-log.ts';
import type { Store } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';

export type RequestLogParts = {
  readonly store: Store;
  readonly recordedParams: Pick<RecordedParams, 'has'>;
  /** The member who owns the key of a session; its requests are those of that member. */
  readonly memberOf: (keyId: string) => string | undefined;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
};

const WHERE = 'the log of requests';
const DAY_MS = 86_400_000;

/** Writes the log of requests of a process, as its own writer, and deletes what exceeds its bounds. Close it before the store. */
export function startRequestLog(
  { store, recordedParams, memberOf, registry, clock, log }: RequestLogParts,
  config: Config['request_log'],
): RequestLog {
  const writerId = randomUUID();
  const byMember = (row: RequestRow): RequestRow => {
    const memberId = row.callerKind === 'key' ? memberOf(row.callerId) : undefined;
    return memberId === undefined ? row : { ...row, callerKind: 'member', callerId: memberId };
  };
  let added = 0;
  const requests = createRequestLog({
    rowsPerSecond: config.rows_per_second,
    errorsPerSecond: config.errors_per_second,
    totalPerSecond: config.total_per_second,
    keepsParams: (accountId, nowMs) => recordedParams.has(accountId, nowMs),
    write: async (number, noted) => {
      const rows = noted.map(byMember);
      const lost = await withStoreErrors(WHERE, () =>
        addRequests(store, { writerId, number, rows }, clock.nowMs()),
      );
      added += rows.length - lost;
      return lost;
    },
    clock,
    log,
  });
  watch(registry, requests, () => added);
  const purge = (): Promise<boolean> =>
    purgeRequests(store, {
      beforeMs: clock.nowMs() - config.retention_days * DAY_MS,
      maxRows: config.max_rows,
      maxTotalRows: config.max_total_rows,
    });
  const stopPurging = repeatSteps({
    step: () => withStoreErrors(WHERE, purge),
    failure: 'cannot delete old requests from the log; retrying',
    log,
  });
  const close = async (): Promise<void> => {
    await stopPurging();
    await requests.close();
  };
  return { ...requests, close };
}

function watch(registry: Registry, { dropped, waiting }: RequestLog, readAdded: () => number): void {
  const registers = [registry];
  new Counter({
    name: 'keyslot_request_log_rows_total',
    help: 'Requests that were added to the log of requests',
    registers,
    collect() {
      this.reset();
      this.inc(readAdded());
    },
  });
  new Counter({
    name: 'keyslot_request_log_dropped_total',
    help: 'Requests that the log of requests does not have, by the bound that they exceeded; store: it did not accept them',
    labelNames: ['reason'] as const,
    registers,
    collect() {
      this.reset();
      for (const [reason, requests] of Object.entries(dropped)) this.inc({ reason }, requests);
    },
  });
  new Gauge({
    name: 'keyslot_request_log_waiting',
    help: 'Requests in memory that are not in the log yet',
    registers,
    collect() {
      this.set(waiting());
    },
  });
}
