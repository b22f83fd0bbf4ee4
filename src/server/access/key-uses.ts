import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { ClientAddress, RequestSource } from './client-address.ts';

/** When a key or a token was last used, and from where if that is known. */
export type KeyUse = { readonly id: string; readonly atMs: number; readonly address: string | undefined };

/** Notes that a key or a token was accepted. */
export type NoteUse = (id: string, request: RequestSource) => void;

export type KeyUses = {
  readonly note: NoteUse;
  /** Stores the uses noted since the last flush. Rejects with the store's error, and keeps the uses then. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining uses. Never rejects. */
  readonly close: () => Promise<void>;
};

export type KeyUsesOptions = {
  readonly write: (uses: readonly KeyUse[]) => Promise<void>;
  readonly clientAddress: ClientAddress;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** Interval between stores. Default 5,000 ms. */
  readonly intervalMs?: number;
};

const INTERVAL_MS = 5_000;

/** The parts of a request that its address is computed from; a whole request would keep its socket alive. */
type Noted = { atMs: number; peer: string | undefined; forwarded: RequestSource['headers'] };

/** Keeps the last use of each key and token in memory, and stores those of the last seconds together. A killed process loses them. */
export function createKeyUses({
  write,
  clientAddress,
  clock,
  log,
  intervalMs = INTERVAL_MS,
}: KeyUsesOptions): KeyUses {
  let noted = new Map<string, Noted>();
  let last: Promise<void> = Promise.resolve();
  const store = async (): Promise<void> => {
    const uses = noted;
    if (uses.size === 0) return;
    noted = new Map();
    try {
      await write(
        [...uses].map(([id, use]) => ({
          id,
          atMs: use.atMs,
          address: clientAddress({ headers: use.forwarded, socket: { remoteAddress: use.peer } }),
        })),
      );
    } catch (error) {
      noted = new Map([...uses, ...noted]);
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    const next = last.then(store);
    last = next.catch(() => undefined);
    return next;
  };
  const tick = (): Promise<void> =>
    flush().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, 'cannot store when keys were last used; retrying');
    });
  const timer = setInterval(tick, intervalMs).unref();
  return {
    note: (id, { headers, socket }) => {
      const [atMs, peer, forwarded] = [clock.nowMs(), socket.remoteAddress, pickForwarded(headers)];
      const known = noted.get(id);
      if (known === undefined) noted.set(id, { atMs, peer, forwarded });
      else {
        known.atMs = atMs;
        known.peer = peer;
        known.forwarded = forwarded;
      }
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await tick();
    },
  };
}

const NONE = {};

function pickForwarded(headers: RequestSource['headers']): RequestSource['headers'] {
  const { 'x-forwarded-for': listed, forwarded } = headers;
  if (listed === undefined && forwarded === undefined) return NONE;
  return { ...(listed && { 'x-forwarded-for': listed }), ...(forwarded && { forwarded }) };
}
