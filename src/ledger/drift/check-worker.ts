import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../base/lower-priority.ts';
import { openrpcDocument } from '../openrpc-document.ts';
import { createAnswerCheck } from './answer-check.ts';
import type { CheckRequest, FromThread, ToThread } from './check-request.ts';
import type { Finding } from './finding.ts';
import { parseSample } from './parse-sample.ts';

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
