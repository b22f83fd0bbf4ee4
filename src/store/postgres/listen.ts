import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
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
  'notifications do not arrive; use the address of PostgreSQL itself, not of a pooler that shares connections between transactions';
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/**
 * Listens to a channel of PostgreSQL (LISTEN) on its own connection, which is reopened whenever it is lost. Resolves once it listens and
 * `onConnected` has finished.
 *
 * @throws Error the driver's, or the handler's, if the first connection fails.
 */
export async function startListening(options: ListenOptions): Promise<Listening> {
  const closing = new AbortController();
  const first = await openSession(options);
  const running = run(first, options, closing.signal);
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function run(first: Session, options: ListenOptions, closing: AbortSignal): Promise<void> {
  const { channel, log } = options;
  let session: Session | undefined = first;
  let backoffMs = FIRST_BACKOFF_MS;
  for (;;) {
    const loss = session && (await unlessAborted(session.lost, closing));
    await session?.end();
    if (session !== undefined && loss === undefined) return;
    if (loss !== undefined)
      log.warn({ err: loss, channel }, 'lost the notifications of the store; reconnecting');
    await pause(backoffMs, undefined, { signal: closing }).catch(() => undefined);
    if (closing.aborted) return;
    session = await openSession(options).catch(() => undefined);
    if (session !== undefined) log.info({ channel }, 'receiving notifications of the store again');
    backoffMs = session === undefined ? Math.min(2 * backoffMs, MAX_BACKOFF_MS) : FIRST_BACKOFF_MS;
  }
}

/** Resolves to undefined once the signal is aborted. Leaves no listener on a signal that is not: an outage may take days. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    signal.addEventListener('abort', leave);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
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
