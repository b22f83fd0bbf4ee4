import { WebSocket } from 'ws';
import { parseJson } from '../../rpc/json.ts';
import type { Answer } from './read-step.ts';

/** A notification, or the notice of a gap. */
export type Notified = {
  readonly method: string;
  readonly params: {
    readonly subscription?: number;
    readonly subscriptions?: readonly number[];
    readonly fromSlot?: number;
    readonly toSlot?: number;
    readonly result?: unknown;
  };
};

export type LabSocket = {
  readonly isOpen: () => boolean;
  /** Calls, and resolves with the reply. @throws Error when the socket ends, or nothing comes in time. */
  readonly call: (method: string, params: readonly unknown[]) => Promise<Answer>;
  readonly terminate: () => void;
};

type Options = {
  readonly session: string;
  readonly timeoutMs: number;
  readonly onNotified: (notified: Notified) => void;
};

/** Opens a WebSocket. @throws Error without the address, which holds the key. */
export async function openLabSocket(
  url: string,
  { session, timeoutMs, onNotified }: Options,
): Promise<LabSocket> {
  const socket = new WebSocket(url, {
    ...{ perMessageDeflate: false, handshakeTimeout: timeoutMs },
    headers: { 'keyslot-session': session },
  });
  const calls = new Map<number, PromiseWithResolvers<Answer>>();
  let lastId = 0;
  socket.on('message', (data) => {
    const message = parseJson(String(data)) as Answer & { readonly id?: number } & Partial<Notified>;
    if (message.method !== undefined && message.params !== undefined)
      return onNotified({ method: message.method, params: message.params });
    calls.get(message.id ?? -1)?.resolve(message);
  });
  socket.on('close', (code) => {
    for (const { reject } of calls.values()) reject(new Error(`the socket was closed with ${code}`));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve).on('error', ({ message }) => reject(new Error(message)));
  });
  return {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    call: async (method, params) => {
      const id = ++lastId;
      const called = Promise.withResolvers<Answer>();
      const timer = setTimeout(() => called.reject(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
      calls.set(id, called);
      if (socket.readyState !== WebSocket.OPEN) called.reject(new Error('the socket is closed'));
      else socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      try {
        return await called.promise;
      } finally {
        clearTimeout(timer);
        calls.delete(id);
      }
    },
    terminate: () => socket.terminate(),
  };
}
