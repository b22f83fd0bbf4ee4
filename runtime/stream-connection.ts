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
  /** `<name>-<environment>`; default: the first network that the server has. */
  readonly network?: string;
  /** Which of the users behind the key reads: what each has seen is remembered for itself. */
  readonly session?: string;
  /** Certificates to trust, PEM; default: those of Node. */
  readonly rootCertificates?: Buffer;
  /** Longest pause between two attempts to reconnect; default 5,000 ms. */
  readonly maxPauseMs?: number;
  /** Longest time until a connection is answered; default 10,000 ms. */
  readonly connectTimeoutMs?: number;
};

/** The pause before a lost stream or connection is tried again, and what it grows to. */
export const FIRST_PAUSE_MS = 100;
export const MAX_PAUSE_MS = 5_000;

const CONNECT_MS = 10_000;

/** The connection to a server. */
export type StreamConnection<S> = {
  /** The client of the present connection; ask for it anew for each call. */
  readonly service: () => S;
  readonly close: () => void;
};

/**
 * Connects with the first call. A connection on which the server says nothing in time, as one does that hangs or whose machine is gone
 * behind a balancer, is given up: grpc-js would wait for it without end. Its calls end with UNAVAILABLE, and the next ones get a new one.
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

/** A server, and how it is reached. */
export type StreamTarget = {
  readonly target: string;
  readonly credentials: ChannelCredentials;
  readonly channel: ChannelOptions;
};

/** Where to connect, and how. @throws TypeError if the URL is none of http or https. */
export const targetOf = ({ url, rootCertificates, maxPauseMs }: StreamClientOptions): StreamTarget => {
  const { protocol, host } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('the URL must begin with http:// or https://');
  return {
    target: host,
    credentials:
      protocol === 'http:' ? credentials.createInsecure() : credentials.createSsl(rootCertificates ?? null),
    channel: {
      // A connection of its own, which no other client holds.
      'grpc.use_local_subchannel_pool': 1,
      // Messages of any size; a connection without any reply, pings included, counts as lost.
      'grpc.max_receive_message_length': -1,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 10_000,
      // Between two connections grpc-js has pauses of its own, up to two minutes: calls fail meanwhile without one.
      'grpc.initial_reconnect_backoff_ms': FIRST_PAUSE_MS,
      'grpc.max_reconnect_backoff_ms': maxPauseMs ?? MAX_PAUSE_MS,
    },
  };
};
