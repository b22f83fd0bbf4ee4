import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from 'pino';

/** Handles notifications of other processes. If a handler fails, the connection counts as lost. */
export type Listener = {
  /** A connection is listening, for the first time or again: earlier notifications may have been missed. */
  readonly onConnected: () => Promise<void>;
  /** Called one at a time, in the order of the transactions. */
  readonly onAnnouncement: (payload: string) => Promise<void>;
};

export type Listening = { readonly close: () => Promise<void> };

export type ListenOptions = {
  readonly clientConfig: pg.ClientConfig;
  readonly channel: string;
  readonly listener: Listener;
  readonly log: Logger;
};

/** Interval of the check for silently lost connections, and its deadline. */
const BEAT_MS = 1_000;
const BEAT_DEADLINE_MS = 5_000;
const UNHEARD =
  'what is announced does not arrive; give the address of PostgreSQL itself, not of a pooler that shares connections between transactions';
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/**
 * Listens to a channel of PostgreSQL (LISTEN) on a connection of its own, which is reopened whenever it is lost. Resolves once it listens
 * and `onConnected` has finished.
 *
 * @throws Error the driver's, or the handler's, if the first connection fails.
 */
export async function startListening(options: ListenOptions): Promise<Listening> {
  const closing = Promise.withResolvers<undefined>();
  const first = await openSession(options);
  const running = run(first, options, closing.promise);
  return {
    close: async () => {
      closing.resolve(undefined);
      await running;
    },
  };
}

async function run(first: Session, options: ListenOptions, closing: Promise<undefined>): Promise<void> {
  const { channel, log } = options;
  let session: Session | undefined = first;
  let backoffMs = FIRST_BACKOFF_MS;
  for (;;) {
    const loss = session && (await Promise.race([session.lost, closing]));
    await session?.end();
    if (session !== undefined && loss === undefined) return;
    if (loss !== undefined) log.warn({ err: loss, channel }, 'notifications of the store do not arrive');
    if (await isClosedWithin(backoffMs, closing)) return;
    session = await openSession(options).catch(() => undefined);
    if (session !== undefined) log.info({ channel }, 'notifications of the store arrive again');
    backoffMs = session === undefined ? Math.min(2 * backoffMs, MAX_BACKOFF_MS) : FIRST_BACKOFF_MS;
  }
}

/** Returns true if it is closed before the pause ends. */
async function isClosedWithin(pauseMs: number, closing: Promise<undefined>): Promise<boolean> {
  const over = Promise.withResolvers<'over'>();
  const timer = setTimeout(over.resolve, pauseMs, 'over');
  const outcome = await Promise.race([closing, over.promise]);
  clearTimeout(timer);
  return outcome === undefined;
}

type Session = { readonly lost: Promise<Error>; readonly end: () => Promise<void> };

async function openSession({ clientConfig, channel, listener }: ListenOptions): Promise<Session> {
  const lost = Promise.withResolvers<Error>();
  const lose = (error: unknown): void =>
    lost.resolve(error instanceof Error ? error : new Error(String(error)));
  const client = new pg.Client({
    ...clientConfig,
    application_name: 'keyslot listener',
    query_timeout: BEAT_DEADLINE_MS,
  });
  client.on('error', lose);
  client.on('end', () => lose(new Error('the connection has ended')));
  const probe = `probe ${randomUUID()}`;
  let isHeard = false;
  let work: Promise<void> = Promise.resolve();
  client.on('notification', ({ payload = '' }) => {
    if (payload === probe) isHeard = true;
    else work = work.then(() => listener.onAnnouncement(payload)).catch(lose);
  });
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;
  const end = async (): Promise<void> => {
    isEnding = true;
    clearTimeout(timer);
    await Promise.all([client.end().catch(lose), work]);
  };
  const beat = (): void => {
    if (isEnding) return;
    timer = setTimeout(() => client.query('select 1').then(beat, lose), BEAT_MS);
  };
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    await client.query('select pg_notify($1, $2)', [channel, probe]);
    if (!isHeard) throw new Error(UNHEARD);
    work = work.then(() => listener.onConnected());
    await work;
    beat();
    return { lost: lost.promise, end };
  } catch (error) {
    await end();
    throw error;
  }
}
