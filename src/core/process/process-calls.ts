import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { ERRORS, type ErrorName } from '../../../generated/errors.ts';
import { ServiceError, serviceError, toServiceError } from '../service-error.ts';

/** The other process, as `child_process` and `process` have it. */
export type ProcessChannel = EventEmitter & {
  readonly connected?: boolean | undefined;
  readonly send?: ChildProcess['send'];
};

/** The functions that the other process may call, by name. Arguments and results are sent as JSON. */
export type ServedCalls = Readonly<Record<string, (argument: unknown) => unknown>>;

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };
type Message = {
  readonly call?: unknown;
  readonly name?: unknown;
  readonly argument?: unknown;
  readonly answer?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly context?: unknown };
};

/** Calls between a process and its child, in both directions. */
export class ProcessCalls {
  readonly #channel: ProcessChannel;
  readonly #serve: ServedCalls;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(channel: ProcessChannel, serve: ServedCalls) {
    this.#channel = channel;
    this.#serve = serve;
    channel.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null) this.#take(message);
    });
    channel.on('disconnect', () => {
      for (const { reject } of this.#waiting.values()) reject(gone());
      this.#waiting.clear();
    });
  }

  /**
   * Calls the other process.
   *
   * @throws ServiceError its error; `adminFailed` when it is gone, or gives no answer in time.
   */
  async call(name: string, argument: unknown, timeoutMs: number): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(failed(`no answer within ${timeoutMs} ms`)), timeoutMs);
    this.#send({ call: id, name, argument }, () => reject(gone()));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #send(message: object, onGone: () => void): void {
    const { send, connected } = this.#channel;
    if (send === undefined || connected !== true) {
      onGone();
      return;
    }
    send.call(this.#channel, message, undefined, undefined, (error: Error | null) => {
      if (error !== null) onGone();
    });
  }

  #take({ call, name, argument, answer, result, error }: Message): void {
    if (typeof call === 'number' && typeof name === 'string') void this.#answer(call, name, argument);
    if (typeof answer !== 'number') return;
    const waiting = this.#waiting.get(answer);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(readError(error));
  }

  /** Never rejects. An answer to a process that is gone is dropped. */
  async #answer(id: number, name: string, argument: unknown): Promise<void> {
    const ignore = (): void => undefined;
    try {
      const served = this.#serve[name];
      if (served === undefined) throw new Error(`unknown call ${name}`);
      this.#send({ answer: id, result: await served(argument) }, ignore);
    } catch (thrown) {
      const { code, context } = toServiceError(thrown);
      this.#send({ answer: id, error: { code, context } }, ignore);
    }
  }
}

function readError({ code, context }: NonNullable<Message['error']>): ServiceError {
  const isKnown = typeof code === 'string' && Object.hasOwn(ERRORS, code);
  return new ServiceError(
    isKnown ? (code as ErrorName) : 'internalError',
    typeof context === 'object' ? { ...context } : {},
  );
}

const failed = (reason: string): ServiceError =>
  serviceError('adminFailed', { path: 'the other process', reason });
const gone = (): ServiceError => failed('the process has exited');
