import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Registry, Counter, Gauge } from 'prom-client';
import type { Config } from '../../../../generated/config.ts';
import { keepSegments, type Segments } from './keep-segments.ts';
import { listFiles, makeRoom } from './make-room.ts';

export type SegmentsParts = {
  readonly config: Pick<Config, 'data_dir' | 'grpc'>;
  readonly registry: Registry;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** The directory of the segments, in the data directory. */
export const SEGMENTS = 'segments';

/** Keeps blocks in segments of the data directory, and deletes those beyond the bound. Undefined if the settings disable segments. */
export function startSegments({ config, registry, log }: SegmentsParts): Segments | undefined {
  const { segments_bytes: maxBytes, max_block_bytes: maxBlockBytes } = config.grpc;
  const root = join(config.data_dir, SEGMENTS);
  if (maxBytes === 0) {
    void sayLeft(root, log).catch(ignore);
    return undefined;
  }
  void makeRoom({ root, maxBytes }, 0).catch(ignore);
  const metrics = createSegmentMetrics(registry);
  const segments = keepSegments({
    root,
    maxBytes,
    maxBlockBytes,
    log,
    onDamage: metrics.countDamage,
  });
  metrics.watch(segments.standings);
  return segments;
}

/** Files from a time when segments were enabled are not deleted: the operator may want them again. */
async function sayLeft(path: string, log: SegmentsParts['log']): Promise<void> {
  const bytes = (await listFiles(path)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > 0) log.warn({ path, bytes }, 'segments are disabled, but files are left: delete them');
}

const ignore = (): void => undefined;

/** Metrics of segments. */
type SegmentMetrics = {
  /** Counts a damaged file. */
  readonly countDamage: (network: string) => void;
  /** Reads the state of all networks at each scrape. */
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

/** Adds the metrics of segments to a registry. */
function createSegmentMetrics(registry: Registry): SegmentMetrics {
  let read: ReadStandings = () => [];
  const watch = (name: string, help: string, measure: (standing: Standing) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['network'] as const,
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
    '1 while blocks of topics cannot be written to files: streams continue without them',
    ({ state }) => (state === 'failing' ? 1 : 0),
  );
  const damaged = new Counter({
    name: 'keyslot_topics_files_damaged_total',
    help: 'Damaged records or files found among the files of blocks of topics',
    labelNames: ['network'] as const,
    registers: [registry],
  });
  return {
    countDamage: (network) => damaged.inc({ network }),
    watch: (given) => {
      read = given;
    },
  };
}
