import { join } from 'node:path';
import type { Logger } from 'pino';
import { createBlockBytes, type BlockBytes } from './block-bytes.ts';
import type { MissingSources } from './find-missing.ts';
import { makeRoom, type RoomOptions } from './make-room.ts';
import { createSegmentHistory, type SegmentHistory, type SegmentStanding } from './segment-history.ts';
import type { WritingState } from './segment-writer.ts';
import { withinDeadline } from './within-deadline.ts';

export type SegmentsOptions = RoomOptions & {
  /** Most bytes of a block as the node answers it. */
  readonly maxBlockBytes: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called for each file in which something is not what was written. */
  readonly onDamage?: ((network: string) => void) | undefined;
  readonly retryMs?: number | undefined;
};

/** The older blocks of all networks in files. */
export type Segments = {
  /** Where those that read blocks note what they were read from. */
  readonly bytes: BlockBytes;
  /** Opens those of a network. */
  readonly of: (network: string, sources: MissingSources) => SegmentHistory;
  readonly standings: () => readonly ({ readonly network: string } & SegmentStanding)[];
  /** Resolves when nothing is written any more, or a disk that hangs was waited for. Leave the ledgers first. */
  readonly close: () => Promise<void>;
};

const MAX_SEGMENT_BYTES = 32 * 2 ** 20;
/** Of the bound: so that what goes with the oldest segment is little. */
const SEGMENT_SHARE = 32;
/** A new segment and those that may still grow. */
const GROWING_SEGMENTS = 3;
/** Others leave less of the disk for segments, also while none is written. */
const ROOM_CHECK_MS = 60_000;

/** Keeps blocks in files below a directory, one folder for each ledger of each network: see docs/decisions/0112-segment-files.md. */
export function keepSegments(options: SegmentsOptions): Segments {
  const { root, maxBytes, log } = options;
  const bytes = createBlockBytes();
  const histories = new Map<string, SegmentHistory>();
  const segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.ceil(maxBytes / SEGMENT_SHARE));
  const sayState = (network: string, state: WritingState, reason: string): void => {
    if (state === 'failing')
      log.warn(
        { network, reason, path: root },
        'blocks of topics cannot be written to files: streams go on without',
      );
    else log.info({ network, state }, 'files of blocks of topics');
  };
  let isChecking = false;
  const roomCheck = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void makeRoom(options, 0)
      .catch((error: NodeJS.ErrnoException) => {
        // There is no directory before the first block.
        if (error.code !== 'ENOENT')
          log.warn({ reason: error.message, path: root }, 'files of blocks cannot give way to others');
      })
      .finally(() => {
        isChecking = false;
      });
  }, ROOM_CHECK_MS).unref();
  return {
    bytes,
    of: (network, sources) => {
      const history = createSegmentHistory({
        ...{ bytes, sources, segmentBytes, maxBlockBytes: options.maxBlockBytes, retryMs: options.retryMs },
        directory: join(root, network),
        makeRoom: () => makeRoom(options, GROWING_SEGMENTS * segmentBytes),
        onState: (state, reason) => sayState(network, state, reason),
        onDamage: (path, reason) => {
          log.warn(
            { network, path, reason },
            'a file of blocks is damaged: what it lost is read again or missing',
          );
          options.onDamage?.(network);
        },
      });
      histories.set(network, history);
      return history;
    },
    standings: () => [...histories].map(([network, { standing }]) => ({ network, ...standing() })),
    close: async () => {
      clearInterval(roomCheck);
      await withinDeadline(Promise.all([...histories.values()].map(({ ended }) => ended()))).catch(
        () => undefined,
      );
    },
  };
}
