import { afterEach, beforeEach } from 'vitest';
import { CallError } from '../../generated/ledger/client.ts';
import {
  createLedgerSubscriptions,
  type LedgerSubscriptions,
  type SubscriptionClientOptions,
} from '../../generated/ledger/subscriptions-client.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type ScriptedSocketServer, startScriptedSocket } from '../support/scripted-socket.ts';

const RETRY = { firstMs: 5, mostMs: 20 };

/** A scripted server for each test of the file, and clients of it that end with the test. */
export function useScriptedServer() {
  let server: ScriptedSocketServer;
  let clients: LedgerSubscriptions[] = [];
  beforeEach(async () => {
    server = await startScriptedSocket();
  });
  afterEach(async () => {
    for (const client of clients) client.close();
    clients = [];
    await server[Symbol.asyncDispose]();
  });
  return {
    server: () => server,
    /** Ends the server and starts another one on the same port. */
    stop: async () => {
      const { port } = new URL(server.url);
      await server[Symbol.asyncDispose]();
      return async () => {
        server = await startScriptedSocket(Number(port));
      };
    },
    clientOf: (options: Partial<SubscriptionClientOptions> = {}): LedgerSubscriptions => {
      const client = createLedgerSubscriptions({ url: server.url, retry: RETRY, ...options });
      clients.push(client);
      return client;
    },
    /** The names of the calls that came. */
    calls: (): readonly string[] =>
      server.messages.filter(({ id }) => id !== undefined).map(({ method }) => method),
  };
}

/** Waits until something holds. */
export const until = (what: string, holds: () => boolean): Promise<true> =>
  eventually(what, () => (holds() ? true : undefined), { intervalMs: 2 });

/** The CallError that work fails with. */
export const failureOf = async (work: Promise<unknown>): Promise<CallError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CallError) return error;
  throw new Error('it did not fail with a CallError');
};

/** The next notification; the subscription continues. */
export const next = async <T>(items: AsyncIterable<T>): Promise<T> => {
  const { value, done } = await items[Symbol.asyncIterator]().next();
  if (done) throw new Error('there is none');
  return value;
};

/** Everything up to the end. */
export const rest = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const taken: T[] = [];
  for await (const item of items) taken.push(item);
  return taken;
};

/** The members of a slotNotification of a slot. */
export const slots = (slot: number) => ({ slot, parent: slot - 1, root: slot - 32 });
