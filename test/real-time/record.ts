import { printJson } from '../../runtime/json.ts';
import { openSocket } from '../support/socket-client.ts';

/** One message of a subscription, in the order of arrival. */
export type Entry =
  | { readonly kind: 'notification'; readonly slot: number; readonly value: string; readonly atMs: number }
  /** The slots that may be missing from here on, both ends included. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

/** The notifications of one subscriber. */
export type RecordOf = {
  readonly params: readonly unknown[];
  readonly method: string;
  entries: Entry[];
};

type Notified = {
  readonly subscription: number;
  readonly subscriptions: readonly number[];
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly result: unknown;
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
  const bySubscription = new Map<number, RecordOf[]>();
  const strays: string[] = [];
  let reason: string | undefined;
  const client = await openSocket(url, {
    onNotified: ({ method, params }, text) => {
      const { subscription, subscriptions, fromSlot, toSlot, result } = params as Notified;
      if (method === 'gapNotification') {
        const gap = { kind: 'gap', from: fromSlot, to: toSlot } as const;
        for (const id of subscriptions)
          for (const record of bySubscription.get(id) ?? []) record.entries.push(gap);
        return;
      }
      const records = bySubscription.get(subscription);
      if (records === undefined) strays.push(text);
      const entry = { kind: 'notification', atMs: performance.now(), ...slotAndValue(result) } as const;
      for (const record of records ?? []) record.entries.push(entry);
    },
  });
  void client.closed.then(({ code, reason: text }) => {
    reason = `${code} ${text}`;
  });
  return {
    subscribe: async (method, params) => {
      const record: RecordOf = { method, params, entries: [] };
      const { result, error } = await client.call(method, params, (reply) => {
        const id = Number(reply.result);
        if (reply.error === undefined) bySubscription.set(id, [...(bySubscription.get(id) ?? []), record]);
      });
      if (typeof result !== 'number') throw new Error(`${error?.code} ${error?.message}`);
      return record;
    },
    closed: () => reason,
    strays,
    close: client.close,
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
  return { slot: context?.slot ?? slot ?? -1, value: printJson(value ?? null) };
}
