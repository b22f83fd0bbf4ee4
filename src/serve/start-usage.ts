import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { writeKeyUses } from '../account/identity/api-keys/key-uses.ts';
import { repeatSteps } from '../core/repeat-steps.ts';
import { addNetworkCalls, CALLS_KEPT_DAYS, purgeNetworkCalls } from '../account/usage/network-calls-store.ts';
import { retainUsage } from '../account/usage/retain-usage.ts';
import { sumWalletUsage } from '../account/usage/sum-wallet-usage.ts';
import { addUsage, purgeUsage } from '../account/usage/usage-store.ts';
import type { Clock } from '../core/clock.ts';
import type { CallCounts } from '../server/access/call-counts.ts';
import { type CallRecorder, createCallRecorder } from '../server/access/call-recorder.ts';
import { createKeyUses, type KeyUses } from '../server/access/key-uses.ts';
import type { LimitMetrics } from '../server/access/limit-metrics.ts';
import { createMeter, type Meter } from '../server/access/meter.ts';
import type { Store } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';
import { clientAddressOf } from './start-gate.ts';

export type UsageParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: LimitMetrics;
  /** The member who owns the key of a session; its usage is counted for that member. */
  readonly memberOf: (keyId: string) => string | undefined;
};

/** The log context of a store failure; the driver's own text would repeat all the rows to be stored. */
const WHERE = 'usage';

/**
 * Counts the calls of a process into a store, as its own writer, adds up what tokens were used for, and deletes rows older than the
 * retention. Close it before the store.
 */
export function startUsage(parts: UsageParts, config: Config['usage']): Meter {
  const { store, clock, log, metrics, memberOf } = parts;
  const writerId = randomUUID();
  const meter = createMeter({
    write: (number, counted) => {
      const rows = counted.map((row) => ({ ...row, keyId: memberOf(row.keyId) ?? row.keyId }));
      return withStoreErrors(WHERE, () => addUsage(store, { writerId, number, rows }, clock.nowMs()));
    },
    onLost: metrics.countLost,
    clock,
    log,
  });
  metrics.watchUnwritten(meter.unwritten);
  const stopRetention = retainUsage({
    purge: (beforeMs) => withStoreErrors(WHERE, () => purgeUsage(store, beforeMs)),
    retentionDays: config.retention_days,
    clock,
    log,
  });
  const stopSums = repeatSteps({
    step: () => withStoreErrors(WHERE, () => sumWalletUsage(store, clock.nowMs())),
    failure: 'the usage of wallet operations cannot be added up; trying again',
    log,
  });
  const close = async (): Promise<void> => {
    await Promise.all([stopRetention(), stopSums()]);
    await meter.close();
  };
  return { ...meter, close };
}

export type CallRecordParts = Pick<UsageParts, 'store' | 'clock' | 'log'> & {
  readonly calls: Pick<CallCounts, 'durations'>;
  readonly usage: Pick<Meter, 'totals'>;
  /** The labels of the networks. */
  readonly networks: readonly string[];
};

/** Stores the calls of networks and how long they took, as its own writer, and deletes those of more than 35 days. Close it before the store. */
export function startCallRecord({
  store,
  clock,
  log,
  calls,
  usage,
  networks,
}: CallRecordParts): CallRecorder {
  const writerId = randomUUID();
  const recorder = createCallRecorder({
    write: (number, rows) =>
      withStoreErrors(WHERE, () => addNetworkCalls(store, { writerId, number, rows }, clock.nowMs())),
    totals: (network) => ({ ...usage.totals(network), durations: calls.durations(network) }),
    networks,
    clock,
    log,
  });
  const stopRetention = retainUsage({
    purge: (beforeMs) => withStoreErrors(WHERE, () => purgeNetworkCalls(store, beforeMs)),
    retentionDays: CALLS_KEPT_DAYS,
    clock,
    log,
  });
  const close = async (): Promise<void> => {
    await stopRetention();
    await recorder.close();
  };
  return { ...recorder, close };
}

/** Stores when keys and tokens were last used, and from where. Close it before the store. */
export function startKeyUses(
  { store, clock, log }: Omit<UsageParts, 'metrics' | 'memberOf'>,
  config: Pick<Config, 'http'>,
): KeyUses {
  const write = (uses: Parameters<typeof writeKeyUses>[1]) =>
    withStoreErrors(WHERE, () => writeKeyUses(store, uses));
  return createKeyUses({ write, clientAddress: clientAddressOf(config, log), clock, log });
}
