import {
  type Client,
  connectivityState,
  credentials,
  type ChannelCredentials,
  type ChannelOptions,
} from '@grpc/grpc-js';

/** The address of a stream server, and the credentials for it. */
export type StreamClientOptions = {
  /** The server's `grpc_url`: `http://host:port`, or `https://host:port` with TLS. */
  readonly url: string;
  readonly apiKey: string;
  /** An access token, for the topics that need one. */
  readonly token?: string;
  /** `<name>-<environment>`; default: the server's first network. */
  readonly network?: string;
  /** One of the users behind the key: read-your-writes is tracked for each separately. */
  readonly session?: string;
  /** Certificates to trust, PEM; default: those of Node. */
  readonly rootCertificates?: Buffer;
  /** Longest pause between two attempts to reconnect; default 5,000 ms. */
  readonly maxPauseMs?: number;
  /** Maximum time until a connection is answered; default 10,000 ms. */
  readonly connectTimeoutMs?: number;
};

/** The first pause before a lost stream or connection is retried, and its maximum. */
export const FIRST_PAUSE_MS = 100;
export const MAX_PAUSE_MS = 5_000;

const CONNECT_MS = 10_000;

/** The connection to a server. */
export type StreamConnection<S> = {
  /** The client of the current connection; request it again for each call. */
  readonly service: () => S;
  readonly close: () => void;
};

/**
 * Connects with the first call. A connection on which the server is silent for too long, because it hangs or its machine is gone behind a
 * balancer, is given up: grpc-js would wait for ever. Its calls end with UNAVAILABLE, and the next ones get a new one.
 */
export function connectStreams<S extends Client>(
  make: (target: string, credentials: ChannelCredentials, options: ChannelOptions) => S,
  options: StreamClientOptions,
): StreamConnection<S> {
  const server = targetOf(options);
  const connect = () => ({
    client: make(server.target, server.credentials, server.channel),
    isWatched: false,
  });
  let current = connect();
  const watch = (watched: typeof current, deadlineMs: number): void => {
    const reached = watched.client.getChannel();
    const state = reached.getConnectivityState(true);
    watched.isWatched = state === connectivityState.IDLE || state === connectivityState.CONNECTING;
    if (!watched.isWatched) return;
    reached.watchConnectivityState(state, deadlineMs, (late) => {
      if (late === undefined) return watch(watched, deadlineMs);
      if (watched === current) current = connect();
      watched.client.close();
    });
  };
  return {
    service: () => {
      if (!current.isWatched) watch(current, Date.now() + (options.connectTimeoutMs ?? CONNECT_MS));
      return current.client;
    },
    close: () => current.client.close(),
  };
}

/** A server, and the settings of its connection. */
export type StreamTarget = {
  readonly target: string;
  readonly credentials: ChannelCredentials;
  readonly channel: ChannelOptions;
};

/** The address and settings of a connection. @throws TypeError if the URL is neither http nor https. */
export const targetOf = ({ url, rootCertificates, maxPauseMs }: StreamClientOptions): StreamTarget => {
  const { protocol, host } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('the URL must begin with http:// or https://');
  return {
    target: host,
    credentials:
      protocol === 'http:' ? credentials.createInsecure() : credentials.createSsl(rootCertificates ?? null),
    channel: {
      // A connection of its own, which no other client shares.
      'grpc.use_local_subchannel_pool': 1,
      // Messages of any size; a connection without any reply, pings included, counts as lost.
      'grpc.max_receive_message_length': -1,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 10_000,
      // grpc-js pauses up to two minutes between connections, in which calls fail at once: the pause is limited.
      'grpc.initial_reconnect_backoff_ms': FIRST_PAUSE_MS,
      'grpc.max_reconnect_backoff_ms': maxPauseMs ?? MAX_PAUSE_MS,
    },
  };
};
