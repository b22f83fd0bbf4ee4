import { type Closing, type LinkOptions, openLink, type SocketLink } from './socket-link.ts';

/** How long a lost connection is waited for before it is tried again: from `firstMs`, doubled each time, to `mostMs`. */
export type Retry = { readonly firstMs: number; readonly mostMs: number };

export type KeptLinkOptions = Omit<LinkOptions, 'onOpen' | 'onClose'> & {
  readonly retry: Retry;
  /** Codes of close frames after which a new connection would be closed again. */
  readonly finalCodes: readonly number[];
  /** `lostMs`: how long there was no connection; undefined for the first one. */
  readonly onOpen: (link: SocketLink, lostMs: number | undefined) => void;
  /** The connection ended. `retryMs`: when it is tried again; undefined: not by itself. */
  readonly onLost: (closing: Closing, retryMs: number | undefined) => void;
  /** Whether a lost connection is to be opened again. */
  readonly isWanted: () => boolean;
};

/** A link that is opened when it is first needed, and again whenever it is lost. */
export type KeptLink = {
  /** The connection, while there is one. */
  readonly current: () => SocketLink | undefined;
  /** Opens it, unless that is under way. */
  readonly open: () => void;
  /** The connection has done what it is for: the next loss is tried again after `firstMs`. */
  readonly confirm: () => void;
  /** Ends it; `onLost` is not called. */
  readonly close: () => void;
};

/** Keeps a link. What was never open is not tried again by itself: the address is wrong, or the key. */
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

/** Spread, so that the clients of a server that was restarted do not come all at once. */
const delayOf = ({ firstMs, mostMs }: Retry, failures: number): number =>
  Math.round(Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2));
