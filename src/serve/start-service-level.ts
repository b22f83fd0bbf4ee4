import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { PLANS } from '../../generated/plans.ts';
import { repeatSteps } from '../core/repeat-steps.ts';
import { errorBudgetOf, ALL } from '../account/service-level/error-budget.ts';
import { measureMonth } from '../account/service-level/measure-month.ts';
import { utcMonth } from '../core/utc-month.ts';
import { MILLIONTHS } from '../account/service-level/month-span.ts';
import { availableShare } from '../account/service-level/print-availability.ts';
import {
  type MeasureCurrent,
  rememberMonths,
  keepServiceMonth,
} from '../account/service-level/remember-months.ts';
import { purgeMinutes, purgeUnfailed } from '../account/service-level/purge-minutes.ts';
import { startProofs } from '../account/service-level/start-proofs.ts';
import { storeProof } from '../account/service-level/store-proof.ts';
import { addWalletMinutes } from '../account/service-level/wallet-minutes.ts';
import type { Clock } from '../core/clock.ts';
import type { ServiceLevelMetrics } from '../account/service-level/service-level-metrics.ts';
import {
  createWalletRequestCounts,
  type WalletRequestCounts,
} from '../server/access/wallet-request-counts.ts';
import { createSignerProbe } from '../signer/probe.ts';
import type { Signer } from '../signer/signer.ts';
import type { Store } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';

export type ServiceLevelParts = {
  readonly store: Store;
  readonly signer: Pick<Signer, 'health'>;
  readonly metrics: ServiceLevelMetrics;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The measurement of the wallet service's availability. */
export type ServiceLevel = Pick<WalletRequestCounts, 'count' | 'flush'> & {
  readonly measureMonth: MeasureCurrent;
  /** Proves from now on that wallets are served. Call it once they are. @returns a function that stops it; call it before they are not. */
  readonly startProofs: () => () => Promise<void>;
  /** Stores what is counted, and stops. Call it when no wallet request is in flight any more, before the store is closed. */
  readonly close: () => Promise<void>;
};

const WHERE = 'the service level';
const MINUTE_S = 60;

/**
 * Counts the wallet requests of accounts, keeps the figures of months that are over, deletes old minutes, and shows this month in the
 * metrics.
 */
export function startServiceLevel({ store, signer, metrics, clock, log }: ServiceLevelParts): ServiceLevel {
  const writerId = randomUUID();
  const inStore = <T>(work: () => Promise<T>): Promise<T> => withStoreErrors(WHERE, work);
  const counts = createWalletRequestCounts({
    write: (number, rows) =>
      inStore(() => addWalletMinutes(store, { writerId, number, rows }, clock.nowMs())),
    clock,
    log,
  });
  const readMonth = async (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    const measured = await measureMonth(store.db, { month: utcMonth(nowMs), nowMs });
    const { left, leftShare } = errorBudgetOf(measured, measured.wholeMonth);
    metrics.setMonth({
      availability: Number(availableShare(measured)) / Number(ALL),
      leftRatio: Number(leftShare) / Number(ALL),
      leftSeconds: (Number(left) * MINUTE_S) / Number(MILLIONTHS),
    });
    return false;
  };
  const keep = async (): Promise<boolean> => {
    if (await keepServiceMonth(store, clock.nowMs())) return true;
    return (await purgeUnfailed(store, clock.nowMs())) || purgeMinutes(store, clock.nowMs());
  };
  const steps = [
    repeatSteps({
      step: () => inStore(readMonth),
      failure: 'the service level of this month cannot be read; trying again',
      log,
    }),
    repeatSteps({
      step: () => inStore(keep),
      failure: 'the service level of past months cannot be kept; trying again',
      log,
    }),
  ];
  const close = async (): Promise<void> => {
    await Promise.all(steps.map((stop) => stop()));
    await counts.close();
  };
  return {
    count: counts.count,
    flush: counts.flush,
    close,
    measureMonth: rememberMonths((query) => measureMonth(store.db, query)),
    startProofs: () =>
      startProofs({
        askSigner: createSignerProbe(signer, PLANS.availability.proof.deadline_ms),
        store: (instantMs, isLate) => inStore(() => storeProof(store, instantMs, isLate)),
        onOutcome: metrics.countProof,
        clock,
        log,
      }),
  };
}
