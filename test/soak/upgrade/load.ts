import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createStreamClient } from '../../../generated/stream/package.ts';
import { bearer } from '../../gateways/customer.ts';
import { startRoundRobin } from '../../gateways/round-robin.ts';
import type { Gateways } from '../../gateways/start-gateways.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';

const KINDS = ['reads', 'batches', 'creations', 'signatures', 'socketCalls', 'streamMessages'] as const;
export type Kind = (typeof KINDS)[number];

/** Clients of every protocol at two gateways. */
export type Load = {
  readonly answered: Readonly<Record<Kind, number>>;
  /** What was not answered as it should be, each with its kind. */
  readonly failures: readonly string[];
  /** How often sockets and streams were told to connect again, by reason. */
  readonly reconnects: ReadonlyMap<string, number>;
  /** Ends it, and resolves when each request has its answer. */
  readonly stop: () => Promise<void>;
};

export type LoadOptions = {
  readonly gateways: Gateways;
  readonly key: string;
  readonly token: string;
  readonly walletId: string;
};

const PATH = '/solana-localnet';
const CALL = { jsonrpc: '2.0', id: 1, method: 'getSlot' };
const READERS = 4;
const CREATORS = 2;
/** A call over a WebSocket whose server says goodbye was not taken: it is sent again elsewhere. */
const GOODBYE = new Set([1001]);
const PAUSE_MS = 5;
/** What is not answered by then has failed. */
const ANSWER_MS = 30_000;

/** Rejects when an answer does not come in time. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the load. HTTP goes through a balancer that keeps to `/readyz`; sockets and streams go to each gateway. */
export function startLoad({ gateways: { one, other }, key, token, walletId }: LoadOptions): Load {
  const answered = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  const failures: string[] = [];
  const reconnects = new Map<string, number>();
  const balancer = startRoundRobin([one.baseUrl, other.baseUrl]);
  let isOver = false;
  const fail = (kind: Kind, what: unknown): void => void failures.push(`${kind}: ${String(what)}`);
  const noteReconnect = (reason: string): void => {
    reconnects.set(reason, (reconnects.get(reason) ?? 0) + 1);
  };
  const repeat = async (
    kind: Kind,
    path: string,
    bodyOf: () => string,
    headersOf = () => ({}),
  ): Promise<void> => {
    while (!isOver) {
      try {
        const { status, body } = await inTime(balancer.post(path, bodyOf(), headersOf()));
        if (status < 300 && !body.includes('"error"')) answered[kind]++;
        else fail(kind, `${status} ${body}`);
      } catch (error) {
        fail(kind, error);
      }
      await pause(PAUSE_MS);
    }
  };
  const callOverSockets = async (first: number): Promise<void> => {
    const urls = [one.wsUrl, other.wsUrl].map((url) => `${url}?apikey=${key}`);
    let socket: SocketClient | undefined;
    for (let turn = first; !isOver; ) {
      const opened: SocketClient | undefined =
        socket ?? (await openSocket(urls[turn % 2] ?? '').catch(() => undefined));
      if (opened === undefined) {
        turn++;
        await pause(PAUSE_MS);
        continue;
      }
      socket = opened;
      try {
        const { error } = await inTime(opened.call('getSlot'));
        if (error === undefined) answered.socketCalls++;
        else fail('socketCalls', JSON.stringify(error));
        await pause(PAUSE_MS);
      } catch (error) {
        opened.close();
        const { code } = await opened.closed;
        if (GOODBYE.has(code)) noteReconnect(`WebSocket ${code}`);
        else fail('socketCalls', error);
        socket = undefined;
        turn++;
      }
    }
    socket?.close();
  };
  const streams = [one, other].map(({ grpcUrl }) =>
    createStreamClient({ url: grpcUrl, apiKey: key, maxPauseMs: 250 }),
  );
  const readStream = async (client: (typeof streams)[number], gateway: number): Promise<void> => {
    let last: bigint | undefined;
    const onReconnect = ({ status }: { readonly status: string }): void => noteReconnect(`gRPC ${status}`);
    try {
      const messages = client.subscribe('slots', { onReconnect });
      while (!isOver) {
        const { value } = await inTime(messages.next());
        if (value === undefined) return fail('streamMessages', 'the stream has ended');
        const { slot, parentSlot } = value;
        if (last !== undefined && parentSlot !== last)
          fail('streamMessages', `a hole before ${slot}: ${parentSlot} is not ${last}`);
        last = slot;
        answered.streamMessages++;
      }
    } catch (error) {
      fail('streamMessages', `gateway ${gateway + 1}, after slot ${last}: ${error}`);
    }
  };
  const read = () => JSON.stringify(CALL);
  const batch = () =>
    JSON.stringify([1, 2, 3].map((id) => ({ ...CALL, id, method: id === 3 ? 'getBlockHeight' : 'getSlot' })));
  const rpc = `${PATH}?apikey=${key}`;
  const running = Promise.all([
    ...Array.from({ length: READERS }, () => repeat('reads', rpc, read)),
    repeat('batches', rpc, batch),
    ...Array.from({ length: CREATORS }, () =>
      repeat(
        'creations',
        '/v1/wallets',
        () => '{"custody":"managed"}',
        () => ({ ...bearer(token), 'idempotency-key': randomUUID() }),
      ),
    ),
    repeat(
      'signatures',
      `/v1/wallets/${walletId}/sign`,
      () => '{"message":"aGVsbG8="}',
      () => bearer(token),
    ),
    ...[0, 1].map(callOverSockets),
    ...streams.map(readStream),
  ]);
  return {
    ...{ answered, failures, reconnects },
    stop: async () => {
      isOver = true;
      await running;
      for (const client of streams) client.close();
      balancer.close();
    },
  };
}
