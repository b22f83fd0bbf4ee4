import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../../core/process/lower-priority.ts';
import { openrpcDocument } from '../openrpc-document.ts';
import { createAnswerCheck } from './answer-check.ts';
import type { CheckRequest, FromThread, ToThread } from './check-request.ts';
import type { Finding } from './finding.ts';
import type { OwnBytes } from './sample-room.ts';

// The thread that checks samples of answers against the specification.
if (parentPort === null) throw new Error('this file runs as a worker thread');
lowerPriority();

const port = parentPort;
const check = createAnswerCheck(openrpcDocument());

port.on('message', ({ id, request }: ToThread) => {
  const answer: FromThread = { id, findings: findingsOf(request) };
  port.postMessage(answer);
});

/** Other code reports messages that cannot be read. */
function findingsOf(request: CheckRequest): readonly Finding[] | undefined {
  try {
    const answer = parseSample(request.parts);
    switch (request.kind) {
      case 'reply':
        return check.reply(request.method, answer);
      case 'batch':
        return check.batch(parseSample([request.calls]), answer);
      case 'notification':
        return check.notification(answer);
      default:
        return request satisfies never;
    }
  } catch {
    return undefined;
  }
}

/**
 * A block of 16 MiB has about a million values. This many of the smallest ones take 300 MB at most; a message with more would
 * end the process, which no limit of a thread prevents.
 */
const MAX_VALUES = 1_500_000;

const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Parses a message for its names and structure: its numbers need not be exact. @throws Error if it is not JSON, or has too many
 * values.
 */
function parseSample(parts: readonly OwnBytes[]): unknown {
  const bytes = Buffer.concat(parts);
  if (!hasAtMost(bytes, MAX_VALUES)) throw new Error('the message has too many values');
  return JSON.parse(bytes.toString());
}

/** Every value but the first follows a comma or an opening bracket; those in strings are counted too. */
function hasAtMost(bytes: Uint8Array, limit: number): boolean {
  let count = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) count += 1;
  }
  return count <= limit;
}
