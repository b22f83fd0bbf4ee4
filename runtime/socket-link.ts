import { CallError, rpcFailure } from './call-error.ts';
import { parseJson, printJson } from './json.ts';

/** The parts of a WebSocket that a link uses: of browsers, of Node 22 and newer, or of the package ws. */
export type SocketLike = {
  readonly send: (text: string) => void;
  readonly close: (code?: number, reason?: string) => void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
};

export type SocketClass = new (address: string) => SocketLike;

/** The end of a connection: code and reason of the server's close frame, if there was one (otherwise 1006). */
export type Closing = { readonly wasOpen: boolean; readonly code: number; readonly reason: string };

export type LinkOptions = {
  readonly address: string;
  readonly WebSocket: SocketClass;
  /** Deadline of the opening and of every call. */
  readonly timeoutMs: number;
  /** Interval of pings, and maximum silence before the server is asked for a sign of life. */
  readonly pingMs: number;
  readonly onOpen: () => void;
  readonly onNotification: (method: string, params: unknown) => void;
  /** Called once. No notification comes after it, and every call under way fails. */
  readonly onClose: (closing: Closing) => void;
};

/** JSON-RPC 2.0 over one WebSocket. */
export type SocketLink = {
  /**
   * Sends a call and returns its result. `onResult` gets it before the next message is read, which may be a notification that arrived with
   * the reply. Throws CallError.
   */
  readonly call: (
    method: string,
    params: readonly unknown[],
    onResult?: (result: unknown) => void,
  ) => Promise<unknown>;
  /** Ends the connection at once on this side. */
  readonly close: () => void;
};

type Waiting = {
  readonly method: string;
  readonly onResult: ((result: unknown) => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
};

const NORMAL = 1000;
/** Close code of a connection that ended without a close frame (RFC 6455, section 7.1.5). */
const ABNORMAL = 1006;

/** Opens a connection. `onOpen` or `onClose` is called later, never before this returns. */
export const openLink = (options: LinkOptions): SocketLink => {
  const { timeoutMs, pingMs } = options;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let state: 'opening' | 'open' | 'closed' = 'opening';
  let heardAt = Date.now();
  let isAsking = false;
  const socket = new options.WebSocket(options.address);

  const end = (closing: Omit<Closing, 'wasOpen'>): void => {
    if (state === 'closed') return;
    const wasOpen = state === 'open';
    state = 'closed';
    clearTimeout(opening);
    clearInterval(pinging);
    for (const { method, reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new CallError(method, { kind: 'network' }));
    }
    waiting.clear();
    options.onClose({ wasOpen, ...closing });
  };
  /** A broken connection is given up; how it ends does not matter any more. */
  const giveUp = (reason: string): void => {
    end({ code: ABNORMAL, reason });
    socket.close();
  };

  const call: SocketLink['call'] = (method, params, onResult) =>
    new Promise((resolve, reject) => {
      if (state !== 'open') {
        reject(new CallError(method, { kind: 'network' }));
        return;
      }
      lastId += 1;
      const id = lastId;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new CallError(method, { kind: 'timeout', timeoutMs }));
      }, timeoutMs);
      waiting.set(id, { method, onResult, resolve, reject, timer });
      socket.send(printJson({ jsonrpc: '2.0', id, method, params }));
    });

  const settle = (reply: Readonly<Record<string, unknown>>): void => {
    const found = waiting.get(Number(reply.id));
    if (!found) return;
    waiting.delete(Number(reply.id));
    clearTimeout(found.timer);
    const failure = rpcFailure(reply.error, SWITCHING_PROTOCOLS);
    if (failure) found.reject(new CallError(found.method, failure));
    else if (Object.hasOwn(reply, 'result')) {
      found.onResult?.(reply.result);
      found.resolve(reply.result);
    } else
      found.reject(new CallError(found.method, { kind: 'malformed', reason: 'neither result nor error' }));
  };

  const read = (data: unknown): void => {
    if (state !== 'open') return;
    heardAt = Date.now();
    const message = parseMessage(data);
    if (!message) giveUp('a message is not a JSON-RPC message');
    else if (typeof message.method === 'string') options.onNotification(message.method, message.params);
    else settle(message);
  };

  const opening = setTimeout(() => giveUp(`not open within ${timeoutMs} ms`), timeoutMs);
  const pinging = setInterval(() => {
    if (state !== 'open') return;
    socket.send(PING);
    if (isAsking || Date.now() - heardAt < pingMs) return;
    isAsking = true;
    // A JSON ping has no answer: a silent server gets a call that has one.
    call('getVersion', [])
      .catch((error: unknown) => {
        if (error instanceof CallError && error.failure.kind === 'timeout') giveUp('the server is silent');
      })
      .finally(() => {
        isAsking = false;
      });
  }, pingMs);

  socket.addEventListener('open', () => {
    if (state !== 'opening') return;
    state = 'open';
    heardAt = Date.now();
    clearTimeout(opening);
    options.onOpen();
  });
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => read(data));
  // Browsers do not describe errors; a close event follows.
  socket.addEventListener('error', () => undefined);
  socket.addEventListener('close', ({ code, reason }: { readonly code: number; readonly reason: string }) =>
    end({ code, reason }),
  );

  return {
    call,
    close: () => {
      end({ code: NORMAL, reason: '' });
      socket.close(NORMAL);
    },
  };
};

const PING = printJson({ jsonrpc: '2.0', method: 'ping' });
const SWITCHING_PROTOCOLS = 101;

const parseMessage = (data: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof data !== 'string') return undefined;
  try {
    const message = parseJson(data);
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? (message as Readonly<Record<string, unknown>>)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
