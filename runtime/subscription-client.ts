import { CallError } from './call-error.ts';
import { slotOf } from './notification-parts.ts';
import { createQueue, type NotificationQueue } from './notification-queue.ts';
import type { SocketClass } from './socket-link.ts';
import { type Entry, SubscriptionHub } from './subscription-hub.ts';
import type {
  SubscribeOptions,
  SubscriptionClient,
  SubscriptionClientOptions,
  SubscriptionKind,
  Wire,
} from './subscription-types.ts';

/** Subscriptions over one WebSocket, which is opened for the first one and kept until `close`. */
export const createSubscriptionClient = (
  options: SubscriptionClientOptions,
  wire: Wire,
): SubscriptionClient => {
  const { timeoutMs = 30_000, pingMs = 5000, retry = RETRY, signal } = options;
  const hub = new SubscriptionHub(
    {
      address: addressOf(options),
      WebSocket: options.WebSocket ?? platformSocket(),
      timeoutMs,
      pingMs,
      retry,
      ...(options.onConnection && { onConnection: options.onConnection }),
    },
    wire,
  );
  signal?.addEventListener('abort', () => hub.close({ kind: 'aborted' }), { once: true });
  return {
    close: () => hub.close(),
    subscribe: async (method, params, { signal: own }: SubscribeOptions = {}) => {
      const kind = wire.kinds[method];
      if (!kind) throw new TypeError(`${method} is not a subscription`);
      if (signal?.aborted || own?.aborted) throw new CallError(method, { kind: 'aborted' });
      const queue = queueOf(method, params, kind, options);
      const entry = await start(hub, { method, params, kind, queue }, timeoutMs, own);
      const unsubscribe = () => hub.remove(entry);
      return { unsubscribe, [Symbol.asyncIterator]: () => readAll(queue, unsubscribe) };
    },
  };
};

const RETRY = { firstMs: 250, mostMs: 10_000 };
const MAX_WAITING = 1024;

const queueOf = (
  method: string,
  params: readonly unknown[],
  kind: SubscriptionKind,
  { maxWaiting = MAX_WAITING, onGap }: SubscriptionClientOptions,
): NotificationQueue<unknown> =>
  createQueue({
    method,
    limit: maxWaiting,
    overflow: kind.congested === 'latest' ? 'latest' : 'fail',
    slotOf,
    onGap: (gap) => onGap?.({ ...gap, method, params }),
  });

/** Resolves when the server has acknowledged the subscription. */
const start = (
  hub: SubscriptionHub,
  asked: Omit<Entry, 'acknowledged' | 'over'>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Entry> =>
  new Promise((resolve, reject) => {
    const give = (failure: CallError['failure']): void =>
      void hub.remove(entry, new CallError(asked.method, failure));
    const timer = setTimeout(() => give({ kind: 'timeout', timeoutMs }), timeoutMs);
    const onAbort = (): void => give({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort);
    const entry: Entry = {
      ...asked,
      acknowledged: () => {
        clearTimeout(timer);
        resolve(entry);
      },
      over: (error) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        // No effect after the acknowledgement: then the reader gets the error.
        reject(error ?? new CallError(asked.method, { kind: 'aborted' }));
      },
    };
    hub.add(entry);
  });

async function* readAll(
  queue: NotificationQueue<unknown>,
  leave: () => Promise<void>,
): AsyncGenerator<unknown> {
  try {
    for (let next = await queue.take(); next; next = await queue.take()) yield next.item;
  } finally {
    await leave();
  }
}

const addressOf = ({ url, apiKey }: SubscriptionClientOptions): string => {
  const address = new URL(url);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  if (!/^wss?:$/.test(address.protocol))
    throw new TypeError('the address must begin with ws, wss, http or https');
  address.hash = '';
  if (apiKey !== undefined) address.searchParams.set('apikey', apiKey);
  return address.href;
};

const platformSocket = (): SocketClass => {
  if (typeof WebSocket === 'undefined')
    throw new TypeError(
      'this platform has no WebSocket of its own (Node has one from version 22 on): pass one as the option WebSocket, such as that of the package ws',
    );
  return WebSocket;
};
