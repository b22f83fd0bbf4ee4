import { createClient } from '@redis/client';

/** Redis is lost when an answer takes longer, unless a link has a limit of its own. */
const ANSWER_MS = 250;
const CONNECT_MS = 2_000;
const RECONNECT_MS = 500;
/** A connection without traffic is probed this often. */
const PROBE_MS = 1_000;
/** Redis may take this long to greet a new connection. */
const GREETING_MS = 3_000;

export type RedisLinkOptions = {
  /** redis:// or rediss:// with the password, if there is one. */
  readonly url: string;
  /** Called when Redis is there, at first and again. */
  readonly onUp: () => void;
  /** Called when it is lost, with the reason, which holds no password. */
  readonly onLost: (reason: string) => void;
  /** Milliseconds that an answer may take. Default 250. */
  readonly answerMs?: number | undefined;
};

export type RedisClient = ReturnType<typeof createRedisClient>;

/** A connection to Redis, which is made in the background, as long and as often as needed. */
export type RedisLink = {
  readonly isUp: () => boolean;
  /**
   * Resolves with the answer to what is asked of the client, which may be several commands.
   * @throws Error of the client, at once while Redis is not there, and for an answer that is late. Redis is lost then, until it answers again.
   */
  readonly ask: <T>(question: (client: RedisClient) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/**
 * Opens a connection to Redis. The time of an answer is measured here: that of the client ends when a command is written, and its socket's
 * begins anew with every write. A connection on which an answer is late is ended, so that nothing queues up behind it.
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
      // What does not answer yet is being connected to: that has limits of its own.
      if (state === 'closed' || !client.isReady) return;
      client.destroy();
      connects = connect();
    };
    // An answer that came while this process was busy is read before it is called late.
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

function createRedisClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: RECONNECT_MS, socketTimeout: GREETING_MS },
  });
}

function ignore(): void {
  // What failed was noted as a loss.
}
