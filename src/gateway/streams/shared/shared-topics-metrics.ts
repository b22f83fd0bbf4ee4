import { Gauge, type Registry } from 'prom-client';

/** Metrics of the blocks of topics that gateways share. */
export type SharedTopicsMetrics = {
  /** Reads the state of a network at each scrape. */
  readonly watch: (network: string, read: ReadStanding) => void;
};

type ReadStanding = () => { readonly source: 'shared' | 'own' | 'idle'; readonly isReader: boolean };

/** Adds the metrics of shared topics to a registry. */
export function createSharedTopicsMetrics(registry: Registry): SharedTopicsMetrics {
  const networks = new Map<string, ReadStanding>();
  const watch = (name: string, help: string, read: (standing: ReturnType<ReadStanding>) => boolean): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['network'] as const,
      collect() {
        for (const [network, standing] of networks) this.set({ network }, read(standing()) ? 1 : 0);
      },
    });
  watch(
    'keyslot_topics_own_reading',
    '1 while this server reads the blocks of topics from its own nodes, for itself, because shared ones do not come',
    ({ source }) => source === 'own',
  );
  watch(
    'keyslot_topics_reader',
    '1 while this server reads the blocks of topics for all servers',
    ({ isReader }) => isReader,
  );
  return { watch: (network, read) => void networks.set(network, read) };
}
