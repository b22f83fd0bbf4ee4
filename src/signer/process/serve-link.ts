import type { Duplex } from 'node:stream';
import { serviceError } from '../../base/service-error.ts';
import { ByteReader } from '../wire/byte-reader.ts';
import { encodeFailure, SUCCEEDED } from '../wire/failures.ts';
import { encodeFrame, type Frame, FrameReader } from '../wire/frame.ts';
import { ProtocolError } from '../wire/protocol-error.ts';
import { readHead } from '../wire/request-head.ts';

/** Answers one request of a gateway. `content` follows the head. */
export type AnswerFrame = (code: number, content: ByteReader, isRepeat: boolean) => Promise<Buffer>;

/** Maximum number of requests under way; the rest waits unread. */
const MAX_UNDER_WAY = 64;

/**
 * Reads requests from the gateway and answers each, in the order in which they finish. It stops reading while enough requests are under
 * way, or while the gateway does not take its answers. A request whose deadline has passed is not begun.
 *
 * @returns a promise that resolves when the gateway has disconnected, and rejects with a ProtocolError for bytes that are not a frame.
 */
export function serveLink(link: Duplex, answer: AnswerFrame, nowMs: () => number): Promise<void> {
  const frames = new FrameReader();
  const waiting: { readonly frame: Frame; readonly cameAtMs: number }[] = [];
  let underWay = 0;
  let isBlocked = false;
  const ended = Promise.withResolvers<void>();

  const send = (frame: Frame): void => {
    if (link.writable && !link.write(encodeFrame(frame))) isBlocked = true;
  };
  const work = async ({ id, code, payload }: Frame, cameAtMs: number): Promise<void> => {
    try {
      const content = new ByteReader(payload);
      const { isRepeat, remainingMs } = readHead(content);
      if (nowMs() - cameAtMs >= remainingMs)
        throw serviceError('signerUnavailable', {}, new Error('it came too late'));
      send({ id, code: SUCCEEDED, payload: await answer(code, content, isRepeat) });
    } catch (error) {
      send({ id, ...encodeFailure(error) });
    }
  };
  const pump = (): void => {
    while (waiting.length > 0 && underWay < MAX_UNDER_WAY && !isBlocked) {
      const next = waiting.shift();
      if (next === undefined) break;
      underWay += 1;
      void work(next.frame, next.cameAtMs).finally(() => {
        underWay -= 1;
        pump();
      });
    }
    if (waiting.length > 0) link.pause();
    else if (link.isPaused()) link.resume();
  };
  link.on('data', (bytes: Buffer) => {
    try {
      for (const frame of frames.take(bytes)) waiting.push({ frame, cameAtMs: nowMs() });
    } catch (error) {
      ended.reject(error);
      link.destroy();
      return;
    }
    pump();
  });
  link.on('drain', () => {
    isBlocked = false;
    pump();
  });
  link.on('error', () => link.destroy());
  link.once('close', () => {
    if (frames.isBetweenFrames) ended.resolve();
    else ended.reject(new ProtocolError('the gateway left in the middle of a frame'));
  });
  link.once('end', () => link.destroy());
  return ended.promise;
}
