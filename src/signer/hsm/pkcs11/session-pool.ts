import type { Handle } from './cryptoki.ts';

export type SessionPool = {
  /** A session that nobody else uses; waits while all are in use. @throws what opening one throws. */
  readonly acquire: () => Promise<Handle>;
  readonly release: (session: Handle) => void;
  /** For a session that failed: an operation may still be under way in it, so it is closed and never used again. */
  readonly discard: (session: Handle) => void;
  /** Resolves when no session is in use, and nobody waits for one. */
  readonly idle: () => Promise<void>;
};

export type SessionPoolOptions = {
  readonly size: number;
  readonly open: () => Handle;
  readonly close: (session: Handle) => void;
};

/** Up to `size` sessions, opened as they are needed. Each does one operation at a time, which PKCS#11 asks for. */
export function createSessionPool({ size, open, close }: SessionPoolOptions): SessionPool {
  const free: Handle[] = [];
  const waiting: (() => void)[] = [];
  let idlers: (() => void)[] = [];
  let inUse = 0;

  /** The place of who leaves goes to who has waited longest. */
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) inUse -= 1;
    else next();
    if (inUse > 0) return;
    for (const done of idlers) done();
    idlers = [];
  };
  return {
    acquire: async () => {
      if (inUse < size) inUse += 1;
      else await new Promise<void>((done) => waiting.push(done));
      try {
        return free.pop() ?? open();
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    release: (session) => {
      free.push(session);
      giveBack();
    },
    discard: (session) => {
      close(session);
      giveBack();
    },
    idle: async () => {
      if (inUse > 0) await new Promise<void>((done) => idlers.push(done));
    },
  };
}
