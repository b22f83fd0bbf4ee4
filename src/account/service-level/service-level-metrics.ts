import { Counter, Gauge, type Registry } from 'prom-client';

/** The service level of this month, as metrics show it. */
export type MonthFigures = {
  /** From 0 to 1. */
  readonly availability: number;
  /** The part of the error budget that is left, of 1 and in seconds; below 0 when more was used. */
  readonly leftRatio: number;
  readonly leftSeconds: number;
};

/** Metrics of the availability of the wallet service. */
export type ServiceLevelMetrics = {
  /** Counts a proof that wallets are served by its outcome: `proved`, or the part that failed. */
  readonly countProof: (outcome: 'proved' | 'signer' | 'store') => void;
  /** Sets the figures of the month. */
  readonly setMonth: (figures: MonthFigures) => void;
};

/** Adds the metrics of the service level to a registry. Times are counted from `nowMs`. */
export function createServiceLevelMetrics(registry: Registry, nowMs: () => number): ServiceLevelMetrics {
  const registers = [registry];
  const proofs = new Counter({
    name: 'keyslot_service_proofs_total',
    help: 'Proofs of this process that it serves wallets, by outcome: proved, or what failed (signer, store)',
    labelNames: ['outcome'] as const,
    registers,
  });
  let provedMs = nowMs();
  new Gauge({
    name: 'keyslot_service_last_proof_age_seconds',
    help: 'Seconds since this process last proved that it serves wallets, or since it started',
    registers,
    collect() {
      this.set(Math.max(0, nowMs() - provedMs) / 1_000);
    },
  });
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
  const availability = gauge(
    'keyslot_service_availability_ratio',
    'Availability of the wallet service in this month of UTC so far, over all processes',
  );
  const ratio = gauge(
    'keyslot_service_error_budget_left_ratio',
    'Share of the error budget of this month that is left; below 0 when more was used',
  );
  const seconds = gauge(
    'keyslot_service_error_budget_left_seconds',
    'Seconds of the error budget of this month that are left; below 0 when more was used',
  );
  return {
    countProof: (outcome) => {
      proofs.inc({ outcome });
      if (outcome === 'proved') provedMs = nowMs();
    },
    setMonth: (figures) => {
      availability.set(figures.availability);
      ratio.set(figures.leftRatio);
      seconds.set(figures.leftSeconds);
    },
  };
}
