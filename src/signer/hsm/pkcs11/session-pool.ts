import type { Handle } from './cryptoki.ts';

export type SessionPool = {
  /** Returns a session for exclusive use; waits while all are in use. @throws the error of opening one. */
  readonly acquire: () => Promise<Handle>;
  readonly release: (session: Handle) => void;
  /** Closes a failed session and never uses it again: an operation may still be under way in it. */
  readonly discard: (session: Handle) => void;
  /** Resolves when no session is in use, and nobody waits for one. */
  readonly idle: () => Promise<void>;
};

export type SessionPoolOptions = {
  readonly size: number;
  readonly open: () => Handle;
  readonly close: (session: Handle) => void;
};

/** Creates a pool of up to `size` sessions, opened on demand. Each does one operation at a time, as PKCS#11 requires. */
export function createSessionPool({ size, open, close }: SessionPoolOptions): SessionPool {
  const free: Handle[] = [];
  const waiting: (() => void)[] = [];
  let idlers: (() => void)[] = [];
  let inUse = 0;

  /** Hands a free slot to the longest waiter. */
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
