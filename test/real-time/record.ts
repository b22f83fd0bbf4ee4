import { WebSocket } from 'ws';

/** One message of a subscription, in the order of arrival. */
export type Entry =
  | { readonly kind: 'notification'; readonly slot: number; readonly value: string; readonly atMs: number }
  /** What may be missing from here on, both ends included. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

/** What one subscriber has been told. */
export type RecordOf = {
  readonly params: readonly unknown[];
  readonly method: string;
  entries: Entry[];
};

type Message = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: {
    readonly subscription: number;
    readonly subscriptions: readonly number[];
    readonly fromSlot: number;
    readonly toSlot: number;
    readonly result: unknown;
  };
};

/** A WebSocket client that writes down all it is told. */
export type Recorder = {
  readonly subscribe: (method: string, params: readonly unknown[]) => Promise<RecordOf>;
  /** Why the socket was closed; undefined while it is open. */
  readonly closed: () => string | undefined;
  /** Messages that belong to no subscription of this socket. */
  readonly strays: readonly string[];
  readonly close: () => void;
};

/** Connects a recorder. */
export async function openRecorder(url: string): Promise<Recorder> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const waiting = new Map<number, PromiseWithResolvers<RecordOf> & { readonly record: RecordOf }>();
  const bySubscription = new Map<number, RecordOf[]>();
  const strays: string[] = [];
  let [lastId, reason] = [0, undefined as string | undefined];
  socket.on('close', (code, text) => {
    reason = `${code} ${String(text)}`;
  });
  socket.on('message', (data) => {
    const text = String(data);
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) answer(message);
    else if (message.method === 'gapNotification') announce(message);
    else notify(message, text);
  });

  const answer = ({ id = 0, result, error }: Message): void => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (call === undefined) return;
    if (typeof result !== 'number') {
      call.reject(new Error(`${error?.code} ${error?.message}`));
      return;
    }
    bySubscription.set(result, [...(bySubscription.get(result) ?? []), call.record]);
    call.resolve(call.record);
  };
  const announce = ({ params }: Message): void => {
    for (const id of params?.subscriptions ?? []) {
      const gap = { kind: 'gap', from: params?.fromSlot ?? 0, to: params?.toSlot ?? 0 } as const;
      for (const record of bySubscription.get(id) ?? []) record.entries.push(gap);
    }
  };
  const notify = ({ params }: Message, text: string): void => {
    const records = bySubscription.get(params?.subscription ?? -1);
    if (records === undefined) strays.push(text);
    const entry = { kind: 'notification', atMs: performance.now(), ...slotAndValue(params?.result) } as const;
    for (const record of records ?? []) record.entries.push(entry);
  };

  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    subscribe: (method, params) => {
      lastId += 1;
      const call = { ...Promise.withResolvers<RecordOf>(), record: { method, params, entries: [] } };
      waiting.set(lastId, call);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }));
      return call.promise;
    },
    closed: () => reason,
    strays,
    close: () => socket.close(),
  };
}

/** The slot that a notification is about; of a root it is the value itself. */
function slotAndValue(result: unknown): { readonly slot: number; readonly value: string } {
  if (typeof result === 'number') return { slot: result, value: '' };
  const { context, slot, value } = result as {
    readonly context?: { readonly slot: number };
    readonly slot?: number;
    readonly value?: unknown;
  };
  return { slot: context?.slot ?? slot ?? -1, value: JSON.stringify(value ?? null) };
}
