import { serviceError } from '../base/service-error.ts';

/** The memory that one request holds for replies that are not streamed. */
export type MemoryLease = {
  /**
   * Reserves bytes; a refused reservation reserves nothing.
   *
   * @throws ServiceError `replyTooLarge` above the limit of one request; `replyMemoryFull` while other requests hold the rest.
   */
  readonly reserve: (sizeBytes: number) => void;
  /** Reserves bytes if there is room. @returns true if it did. */
  readonly tryDraw: (sizeBytes: number) => boolean;
  /** Releases everything, once the answer has been sent; from then on reserving has no effect. */
  readonly release: () => void;
};

/**
 * The memory of a process for replies that are not streamed: those of a batch, those whose id must be restored, and large
 * cached ones, which a slow client keeps alive after the cache has evicted them.
 */
export type ReplyMemory = {
  readonly limitBytes: number;
  readonly heldBytes: () => number;
  readonly hold: () => MemoryLease;
};

/** Creates the memory: `limitBytes` for all requests together, `requestLimitBytes` for each. */
export function createReplyMemory(limitBytes: number, requestLimitBytes: number): ReplyMemory {
  let heldBytes = 0;
  const hold = (): MemoryLease => {
    let ownBytes = 0;
    let isReleased = false;
    const isTooLarge = (sizeBytes: number): boolean => ownBytes + sizeBytes > requestLimitBytes;
    const isFull = (sizeBytes: number): boolean => heldBytes + sizeBytes > limitBytes;
    const take = (sizeBytes: number): void => {
      ownBytes += sizeBytes;
      heldBytes += sizeBytes;
    };
    return {
      reserve: (sizeBytes) => {
        if (isReleased) return;
        if (isTooLarge(sizeBytes)) throw serviceError('replyTooLarge', { limit: requestLimitBytes });
        if (isFull(sizeBytes)) throw serviceError('replyMemoryFull');
        take(sizeBytes);
      },
      tryDraw: (sizeBytes) => {
        if (isReleased) return true;
        if (isTooLarge(sizeBytes) || isFull(sizeBytes)) return false;
        take(sizeBytes);
        return true;
      },
      release: () => {
        if (!isReleased) heldBytes -= ownBytes;
        isReleased = true;
      },
    };
  };
  return { limitBytes, heldBytes: () => heldBytes, hold };
}
