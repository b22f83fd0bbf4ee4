import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Envelope, readEnvelope } from '../check-reply.ts';
import { ERRORS } from '../../../generated/errors.ts';
import { printJson } from '../../../runtime/json.ts';
import { parseStrictJson } from '../strict-json.ts';
import type { Answer, HearAnswer, Pace } from '../json-rpc.ts';

/** Where subscriptions are asked for. */
export type SocketTarget = {
  /** With its `apikey` where the server wants one. */
  readonly wsUrl: string;
  /** The value of a header Authorization, where the server wants one. */
  readonly authorization?: string | undefined;
  /** Sends each call when it is its turn, and again where the server limits their rate; at once unless given. */
  readonly pace?: Pace;
  /** Hears every message. */
  readonly hear?: HearAnswer;
  /** How long notifications are waited for; a minute unless given. */
  readonly patienceMs?: number;
};

/** A message as JSON, integers exact; no members where it is none. */
export type Message = Readonly<Record<string, unknown>>;

/** A connection of a contract run. */
export type ContractSocket = {
  /** Sends a call and answers its reply, read strictly, or what is wrong with it. Rejects when none comes in time or the connection ends. */
  readonly ask: (method: string, params: unknown) => Promise<Envelope | readonly string[]>;
  /** What came that is no reply, in order. */
  readonly told: readonly Message[];
  readonly close: () => void;
};

const DEADLINE_MS = 20_000;
const { http: TOO_MANY, jsonrpc: RATE_LIMITED } = ERRORS.rateLimited;
const OK = 200;

const atOnce: Pace = (send) => send();

/** A reply as if it had come over HTTP, where a limit of the rate is a status and a header. */
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

/** Opens a connection. @throws Error when the server refuses it, or is not there. */
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
    if (socket.readyState !== WebSocket.OPEN) throw new Error('the server closed the connection before');
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
