import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../../generated/config.ts';
import { createSegmentMetrics } from '../gate/segment-metrics.ts';
import { keepSegments, type Segments } from '../stream/segments/keep-segments.ts';
import { listFiles, makeRoom } from '../stream/segments/make-room.ts';

export type SegmentsParts = {
  readonly config: Pick<Config, 'data_dir' | 'grpc'>;
  readonly registry: Registry;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** The directory of the files of blocks, in the data directory. */
export const SEGMENTS = 'segments';

/** Keeps blocks of topics in files of the data directory, and deletes those beyond the bound. Undefined where the settings allow them no byte. */
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
    ...{ root, maxBytes, maxBlockBytes, log },
    onDamage: metrics.countDamage,
  });
  metrics.watch(segments.standings);
  return segments;
}

/** Files of a time when they were kept are not deleted: their owner may want them again. */
async function sayLeft(path: string, log: SegmentsParts['log']): Promise<void> {
  const bytes = (await listFiles(path)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > 0) log.warn({ path, bytes }, 'files of blocks of topics are left, and not used: delete them');
}

const ignore = (): void => undefined;
