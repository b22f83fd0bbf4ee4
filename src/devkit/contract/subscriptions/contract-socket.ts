import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Envelope, readEnvelope, parseStrictJson } from '../check-reply.ts';
import { ERRORS } from '../../../../generated/errors.ts';
import { printJson } from '../../../../runtime/json.ts';
import type { Answer, HearAnswer, Pace } from '../json-rpc.ts';

/** The server whose subscriptions are checked. */
export type SocketTarget = {
  /** With its `apikey` if the server needs one. */
  readonly wsUrl: string;
  /** The value of the header Authorization, if the server needs one. */
  readonly authorization?: string | undefined;
  /** Sends each call in its turn, and again after a rate limit; default: at once. */
  readonly pace?: Pace;
  /** Receives every message. */
  readonly hear?: HearAnswer;
  /** The longest wait for notifications; default: a minute. */
  readonly patienceMs?: number;
};

/** A message as JSON with exact integers; without members if it is not an object. */
export type Message = Readonly<Record<string, unknown>>;

/** A connection of a contract run. */
export type ContractSocket = {
  /** Sends a call and returns its strictly read reply, or the faults. Rejects if none comes in time or the connection ends. */
  readonly ask: (method: string, params: unknown) => Promise<Envelope | readonly string[]>;
  /** The messages that are not replies, in order. */
  readonly told: readonly Message[];
  readonly close: () => void;
};

const DEADLINE_MS = 20_000;
const { http: TOO_MANY, jsonrpc: RATE_LIMITED } = ERRORS.rateLimited;
const OK = 200;

const atOnce: Pace = (send) => send();

/** Turns a reply into an HTTP answer, where a rate limit is a status and a header. */
function asAnswer(text: string): Answer {
  const { error } = readMessage(text);
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  if (code !== RATE_LIMITED.code) return { status: OK, text, retryAfter: null };
  const { retryAfterSeconds } = (data ?? {}) as { readonly retryAfterSeconds?: unknown };
  return {
    status: TOO_MANY,
    text,
    retryAfter: retryAfterSeconds === undefined ? null : String(retryAfterSeconds),
  };
}

/** Opens a connection. @throws Error if the server refuses it or cannot be reached. */
export async function openContractSocket({
  wsUrl,
  authorization,
  pace = atOnce,
  hear,
}: SocketTarget): Promise<ContractSocket> {
  const socket = new WebSocket(wsUrl, {
    handshakeTimeout: DEADLINE_MS,
    ...(authorization !== undefined && { headers: { authorization } }),
  });
  await once(socket, 'open');
  const waiting = new Map<unknown, PromiseWithResolvers<string>>();
  const told: Message[] = [];
  let lastId = 0;
  socket.on('error', () => undefined);
  socket.on('close', (code, reason) => {
    const ended = new Error(`the server closed the connection: ${code} ${String(reason)}`.trim());
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  });
  socket.on('message', (data) => {
    const text = String(data);
    const message = readMessage(text);
    const taker = waiting.get(message.id);
    if (taker !== undefined) {
      taker.resolve(text);
      return;
    }
    told.push(message);
    hear?.(undefined, text);
  });
  const exchange = async (id: number | string, method: string, params: unknown): Promise<string> => {
    if (socket.readyState !== WebSocket.OPEN) throw new Error('the server has closed the connection');
    const taker = Promise.withResolvers<string>();
    waiting.set(id, taker);
    const late = new Error(`no reply within ${DEADLINE_MS} ms`);
    const timer = setTimeout(() => taker.reject(late), DEADLINE_MS);
    socket.send(printJson({ jsonrpc: '2.0', id, method, params }));
    try {
      return await taker.promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
  return {
    told,
    close: () => socket.terminate(),
    ask: async (method, params) => {
      let id: number | string = 0;
      const { text } = await pace(async () => {
        lastId += 1;
        id = lastId % 2 === 0 ? lastId : `case-${lastId}`;
        return asAnswer(await exchange(id, method, params));
      });
      hear?.(method, text);
      return readEnvelope(OK, text, id);
    },
  };
}

function readMessage(text: string): Message {
  try {
    const message = parseStrictJson(text);
    return typeof message === 'object' && message !== null ? (message as Message) : {};
  } catch {
    return {};
  }
}
