import { join } from 'node:path';
import type { Logger } from 'pino';
import { createBlockBytes, type BlockBytes, type WritingState } from './segment-writer.ts';
import {
  type MissingSources,
  createSegmentHistory,
  type SegmentHistory,
  type SegmentStanding,
} from './segment-history.ts';
import { makeRoom, type RoomOptions } from './make-room.ts';
import { withinDeadline } from './within-deadline.ts';

export type SegmentsOptions = RoomOptions & {
  /** Most bytes of a block in the node's reply. */
  readonly maxBlockBytes: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called for each damaged file. */
  readonly onDamage?: ((network: string) => void) | undefined;
  readonly retryMs?: number | undefined;
};

/** The older blocks of all networks in files. */
export type Segments = {
  /** Readers of blocks record the node's replies here. */
  readonly bytes: BlockBytes;
  /** Opens the segments of a network. */
  readonly of: (network: string, sources: MissingSources) => SegmentHistory;
  readonly standings: () => readonly ({ readonly network: string } & SegmentStanding)[];
  /** Resolves when all writing has ended, or after waiting for a disk that hangs. Leave the ledgers first. */
  readonly close: () => Promise<void>;
};

const MAX_SEGMENT_BYTES = 32 * 2 ** 20;
/** The part of the bound that one segment takes, so that deleting the oldest one loses little. */
const SEGMENT_SHARE = 32;
/** A new segment and those that may still grow. */
const GROWING_SEGMENTS = 3;
/** The free disk space may shrink even while no segment is written. */
const ROOM_CHECK_MS = 60_000;

/** Keeps blocks in segments below a directory, one folder per ledger of each network: see docs/decisions/0112-segment-files.md. */
export function keepSegments(options: SegmentsOptions): Segments {
  const { root, maxBytes, log } = options;
  const bytes = createBlockBytes();
  const histories = new Map<string, SegmentHistory>();
  const segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.ceil(maxBytes / SEGMENT_SHARE));
  const sayState = (network: string, state: WritingState, reason: string): void => {
    if (state === 'failing')
      log.warn({ network, reason, path: root }, 'cannot write segments: streams continue without them');
    else log.info({ network, state }, 'segment writer changed state');
  };
  let isChecking = false;
  const roomCheck = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void makeRoom(options, 0)
      .catch((error: NodeJS.ErrnoException) => {
        // The directory does not exist before the first block.
        if (error.code !== 'ENOENT')
          log.warn({ reason: error.message, path: root }, 'cannot evict old segments');
      })
      .finally(() => {
        isChecking = false;
      });
  }, ROOM_CHECK_MS).unref();
  return {
    bytes,
    of: (network, sources) => {
      const history = createSegmentHistory({
        bytes,
        sources,
        segmentBytes,
        maxBlockBytes: options.maxBlockBytes,
        retryMs: options.retryMs,
        directory: join(root, network),
        makeRoom: () => makeRoom(options, GROWING_SEGMENTS * segmentBytes),
        onState: (state, reason) => sayState(network, state, reason),
        onDamage: (path, reason) => {
          log.warn(
            { network, path, reason },
            'a segment is damaged: its blocks are read again, or are missing',
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
