import type { ServerResponse } from 'node:http';
import { serviceError } from '../../service-error.ts';
import { sendError } from './respond.ts';

/** Knows which requests are under way, so that a stopping server can wait for them. */
export class RequestTracker {
  readonly #open = new Set<ServerResponse>();
  #isDraining = false;
  #onEnd: () => void = () => undefined;

  /** Takes a request in. While the server drains, answers it with `shuttingDown` and returns false. */
  begin(response: ServerResponse): boolean {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#onEnd();
    });
    if (!this.#isDraining) return true;
    response.setHeader('connection', 'close');
    sendError(response, serviceError('shuttingDown'));
    return false;
  }

  /** Resolves when nothing is under way any more, or after `deadlineMs`. `onEnd` is called as requests end. */
  async drain(deadlineMs: number, onEnd: () => void): Promise<void> {
    this.#isDraining = true;
    for (const response of this.#open) if (!response.headersSent) response.setHeader('connection', 'close');
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deadlineMs);
    this.#onEnd = () => {
      onEnd();
      if (this.#open.size === 0) resolve();
    };
    this.#onEnd();
    await promise;
    clearTimeout(timer);
  }
}
