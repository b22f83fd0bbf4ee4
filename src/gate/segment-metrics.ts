import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the files of blocks of topics. */
export type SegmentMetrics = {
  /** Counts a file with something in it that is not what was written. */
  readonly countDamage: (network: string) => void;
  /** Reads the standing of all networks at each scrape. */
  readonly watch: (read: ReadStandings) => void;
};

type Standing = {
  readonly network: string;
  readonly state: 'idle' | 'writing' | 'elsewhere' | 'failing';
  readonly bytes: number;
  readonly holes: number;
  readonly firstSlot: bigint;
};
type ReadStandings = () => readonly Standing[];

/** Adds the metrics of files of blocks to a registry. */
export function createSegmentMetrics(registry: Registry): SegmentMetrics {
  let read: ReadStandings = () => [];
  const watch = (name: string, help: string, measure: (standing: Standing) => number): Gauge =>
    new Gauge({
      ...{ name, help, registers: [registry], labelNames: ['network'] as const },
      collect() {
        for (const standing of read()) this.set({ network: standing.network }, measure(standing));
      },
    });
  watch('keyslot_topics_files_bytes', 'Bytes of the files of blocks of topics', ({ bytes }) => bytes);
  watch(
    'keyslot_topics_files_first_slot',
    'Every block after this slot, up to the newest one in the files, is there; 0 while there are none',
    ({ firstSlot }) => Number(firstSlot),
  );
  watch('keyslot_topics_files_holes', 'Places where blocks are missing in them', ({ holes }) => holes);
  watch(
    'keyslot_topics_files_failing',
    '1 while blocks of topics cannot be written to files: streams go on without',
    ({ state }) => (state === 'failing' ? 1 : 0),
  );
  const damaged = new Counter({
    name: 'keyslot_topics_files_damaged_total',
    help: 'Times that something in the files of blocks of topics was not what was written',
    ...{ labelNames: ['network'] as const, registers: [registry] },
  });
  return {
    countDamage: (network) => damaged.inc({ network }),
    watch: (given) => {
      read = given;
    },
  };
}
