import { serviceError } from '../base/service-error.ts';

/** What one request holds of replies that are not streamed. */
export type ReplyHold = {
  /**
   * Takes bytes; what is refused is not taken.
   *
   * @throws ServiceError `replyTooLarge` beyond what one request may hold; `replyMemoryFull` while others hold the rest.
   */
  readonly draw: (sizeBytes: number) => void;
  /** Takes bytes where there is room for them; says whether it did. */
  readonly tryDraw: (sizeBytes: number) => boolean;
  /** Gives everything back, once the answer has gone; from then on nothing is held, whatever is drawn. */
  readonly release: () => void;
};

/**
 * The memory of a process for replies that are not streamed: those of a batch, those whose id must be put back, and large ones
 * that the cache hands out, which a slow client keeps after the cache has forgotten them.
 */
export type ReplyMemory = {
  readonly limitBytes: number;
  readonly heldBytes: () => number;
  readonly hold: () => ReplyHold;
};

/** `limitBytes` for all requests together, of which one may hold `requestLimitBytes`. */
export function createReplyMemory(limitBytes: number, requestLimitBytes: number): ReplyMemory {
  let heldBytes = 0;
  const hold = (): ReplyHold => {
    let ownBytes = 0;
    let isReleased = false;
    const isTooLarge = (sizeBytes: number): boolean => ownBytes + sizeBytes > requestLimitBytes;
    const isFull = (sizeBytes: number): boolean => heldBytes + sizeBytes > limitBytes;
    const take = (sizeBytes: number): void => {
      ownBytes += sizeBytes;
      heldBytes += sizeBytes;
    };
    return {
      draw: (sizeBytes) => {
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
