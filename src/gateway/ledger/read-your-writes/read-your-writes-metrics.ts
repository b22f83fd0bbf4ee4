import { Gauge, type Registry } from 'prom-client';

/** Metrics of what readers have seen. */
export type ReadYourWritesMetrics = {
  /** Reads at each scrape whether reports reach other gateways now. */
  readonly watchShared: (isUp: () => boolean) => void;
};

/** Adds the metrics of own reads to a registry. */
export function createReadYourWritesMetrics(registry: Registry): ReadYourWritesMetrics {
  return {
    watchShared: (isUp) => {
      new Gauge({
        name: 'keyslot_own_reads_shared',
        help: '1 while gateways tell each other through Redis what readers have seen, 0 while it is lost',
        registers: [registry],
        collect() {
          this.set(isUp() ? 1 : 0);
        },
      });
    },
  };
}
