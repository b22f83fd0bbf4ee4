import { createRequire } from 'node:module';

/** An answer that takes longer means that Redis is lost, unless a link has its own limit. */
const ANSWER_MS = 250;
const CONNECT_MS = 2_000;
const RECONNECT_MS = 500;
/** A connection without traffic is probed this often. */
const PROBE_MS = 1_000;
/** Maximum time for Redis to greet a new connection. */
const GREETING_MS = 3_000;

export type RedisLinkOptions = {
  /** redis:// or rediss:// with the password, if there is one. */
  readonly url: string;
  /** Called each time Redis is connected. */
  readonly onUp: () => void;
  /** Called when the connection is lost, with a reason that contains no password. */
  readonly onLost: (reason: string) => void;
  /** Milliseconds that an answer may take. Default 250. */
  readonly answerMs?: number | undefined;
};

export type RedisClient = ReturnType<typeof createRedisClient>;

/** A connection to Redis, which is opened in the background and reopened whenever it is lost. */
export type RedisLink = {
  readonly isUp: () => boolean;
  /**
   * Resolves with the answer to the client's commands.
   * @throws Error of the client, immediately while Redis is not connected, and for a late answer. Redis then counts as lost until it
   *   answers again.
   */
  readonly ask: <T>(question: (client: RedisClient) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/**
 * Opens a connection to Redis. It measures the time of answers itself: the client's own timeout ends when a command is written, and its
 * socket's restarts with every write. A connection with a late answer is closed, so that nothing queues up behind it.
 */
export function openRedisLink({ url, onUp, onLost, answerMs = ANSWER_MS }: RedisLinkOptions): RedisLink {
  const client = createRedisClient(url);
  let state: 'new' | 'up' | 'lost' | 'closed' = 'new';
  let probe: NodeJS.Timeout | undefined;
  const probeIn = (ms: number): void => {
    clearTimeout(probe);
    probe = setTimeout(() => void ask((asked) => asked.ping()).catch(ignore), ms).unref();
  };
  const rise = (): void => {
    if (state === 'closed') return;
    if (state !== 'up') onUp();
    state = 'up';
    probeIn(PROBE_MS);
  };
  const lose = (error: unknown): void => {
    if (state === 'closed') return;
    if (state !== 'lost') onLost(error instanceof Error ? error.message : String(error));
    state = 'lost';
    probeIn(RECONNECT_MS);
  };
  const connect = (): Promise<unknown> => client.connect().catch(lose);
  const ask: RedisLink['ask'] = async (question) => {
    const late = Promise.withResolvers<never>();
    const expire = (): void => {
      late.reject(new Error(`no answer within ${answerMs} ms`));
      // A client that is not ready is still connecting, which has its own limits.
      if (state === 'closed' || !client.isReady) return;
      client.destroy();
      connects = connect();
    };
    // An answer that arrived while this process was busy is read before it counts as late.
    let check: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      check = setImmediate(expire);
    }, answerMs);
    try {
      const answer = await Promise.race([question(client), late.promise]);
      rise();
      return answer;
    } catch (error) {
      lose(error);
      throw error;
    } finally {
      clearTimeout(timer);
      clearImmediate(check);
    }
  };
  client.on('ready', rise);
  client.on('error', lose);
  let connects = connect();
  return {
    isUp: () => state === 'up',
    ask,
    close: async () => {
      state = 'closed';
      clearTimeout(probe);
      client.destroy();
      await connects;
    },
  };
}

const require = createRequire(import.meta.url);

/** The package is loaded where Redis is configured. */
function createRedisClient(url: string) {
  const { createClient } = require('@redis/client') as typeof import('@redis/client');
  return createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: RECONNECT_MS, socketTimeout: GREETING_MS },
  });
}

function ignore(): void {
  // The failure was already reported as a loss.
}
