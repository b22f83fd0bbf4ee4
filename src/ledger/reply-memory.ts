import { serviceError } from '../service-error.ts';

/** What one request holds of replies that cannot be streamed. */
export type ReplyHold = {
  /**
   * Takes bytes; what is refused is not taken.
   *
   * @throws ServiceError `replyTooLarge` beyond what one request may hold; `replyMemoryFull` while others hold the rest.
   */
  readonly draw: (sizeBytes: number) => void;
  /** Gives everything back, once the answer has gone; from then on nothing is held, whatever is drawn. */
  readonly release: () => void;
};

/** The memory of a process for replies that cannot be streamed: those of a batch, and those whose id must be put back. */
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
    return {
      draw: (sizeBytes) => {
        if (isReleased) return;
        if (ownBytes + sizeBytes > requestLimitBytes)
          throw serviceError('replyTooLarge', { limit: requestLimitBytes });
        if (heldBytes + sizeBytes > limitBytes) throw serviceError('replyMemoryFull');
        ownBytes += sizeBytes;
        heldBytes += sizeBytes;
      },
      release: () => {
        if (!isReleased) heldBytes -= ownBytes;
        isReleased = true;
      },
    };
  };
  return { limitBytes, heldBytes: () => heldBytes, hold };
}
