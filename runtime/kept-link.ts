import { type Closing, type LinkOptions, openLink, type SocketLink } from './socket-link.ts';

/** Pause before a lost connection is tried again: from `firstMs`, doubled each time, to `mostMs`. */
export type Retry = { readonly firstMs: number; readonly mostMs: number };

export type KeptLinkOptions = Omit<LinkOptions, 'onOpen' | 'onClose'> & {
  readonly retry: Retry;
  /** Codes of close frames after which a new connection would be closed again. */
  readonly finalCodes: readonly number[];
  /** `lostMs`: time without a connection; undefined for the first one. */
  readonly onOpen: (link: SocketLink, lostMs: number | undefined) => void;
  /** The connection ended. `retryMs`: time until it is tried again; undefined: no retry. */
  readonly onLost: (closing: Closing, retryMs: number | undefined) => void;
  /** True when a lost connection should be opened again. */
  readonly isWanted: () => boolean;
};

/** A connection that is opened on first use, and again whenever it is lost. */
export type KeptLink = {
  /** The connection, while there is one. */
  readonly current: () => SocketLink | undefined;
  /** Opens it, unless that is under way. */
  readonly open: () => void;
  /** Call it when the connection has served its purpose: the next loss is retried after `firstMs`. */
  readonly confirm: () => void;
  /** Ends it; `onLost` is not called. */
  readonly close: () => void;
};

/** Keeps a link. A connection that was never open is not retried: the address is wrong, or the key. */
export const keepLink = (options: KeptLinkOptions): KeptLink => {
  let opening: SocketLink | undefined;
  let current: SocketLink | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isClosing = false;
  let lostAt: number | undefined;

  const connect = (): void => {
    timer = undefined;
    opening = openLink({ ...options, onOpen: opened, onClose: ended });
  };
  const opened = (): void => {
    const lostMs = lostAt === undefined ? undefined : Date.now() - lostAt;
    current = opening;
    lostAt = undefined;
    if (current) options.onOpen(current, lostMs);
  };
  const ended = (closing: Closing): void => {
    opening = undefined;
    current = undefined;
    const isFinal = options.finalCodes.includes(closing.code);
    const wasThere = closing.wasOpen || lostAt !== undefined;
    const retries = !isFinal && wasThere && options.isWanted();
    lostAt = retries ? (lostAt ?? Date.now()) : undefined;
    const retryMs = retries ? delayOf(options.retry, failures) : undefined;
    failures = retries ? failures + 1 : 0;
    if (isClosing) return;
    if (retryMs !== undefined) timer = setTimeout(connect, retryMs);
    options.onLost(closing, retryMs);
  };

  return {
    current: () => current,
    open: () => {
      if (!opening && timer === undefined) connect();
    },
    confirm: () => {
      failures = 0;
    },
    close: () => {
      clearTimeout(timer);
      timer = undefined;
      isClosing = true;
      opening?.close();
      isClosing = false;
      lostAt = undefined;
      failures = 0;
    },
  };
};

/** Randomized, so that the clients of a restarted server do not reconnect all at once. */
const delayOf = ({ firstMs, mostMs }: Retry, failures: number): number =>
  Math.round(Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2));
