import type { ServerResponse } from 'node:http';
import { isBroken } from '../http/broken-answers.ts';

/**
 * Reports how a request ended, once: answered, or failed by this server, which includes an answer that it broke off. A request that was
 * refused (4xx), or whose client left before its answer was complete, is not reported.
 */
export function watchAnswer(response: ServerResponse, report: (isFailed: boolean) => void): void {
  response.once('close', () => {
    const { writableFinished, statusCode } = response;
    if (isBroken(response) || (writableFinished && statusCode >= 500)) report(true);
    else if (writableFinished && statusCode < 400) report(false);
  });
}
