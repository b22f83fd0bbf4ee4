import { randomFillSync } from 'node:crypto';

/** The ways that requests come in. */
export const PROTOCOLS = ['json_rpc', 'websocket', 'grpc', 'wallets', 'account'] as const;

export type RequestProtocol = (typeof PROTOCOLS)[number];

/** The request that calls came with, as its answer and the log of requests name it. */
export type RequestMark = {
  readonly id: string;
  readonly protocol: RequestProtocol;
  /** `<name>-<environment>`; undefined where it is not known. */
  readonly network?: string | undefined;
};

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** As many as 16 random bytes have in base-58. */
const CHARACTERS = 22;

/** So many ids are drawn together: to draw each would cost a request more than all else that its id does. */
const DRAWN = 32;

const bytes = Buffer.alloc(DRAWN * CHARACTERS);
let drawn = '';
let next = 0;

/** Returns a unique name for a request, or for background work. */
export function createRequestId(): string {
  if (next === drawn.length) {
    drawn = drawText();
    next = 0;
  }
  const id = `req_${drawn.slice(next, next + CHARACTERS)}`;
  next += CHARACTERS;
  return id;
}

function drawText(): string {
  randomFillSync(bytes);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = ALPHABET.charCodeAt((bytes[at] ?? 0) % ALPHABET.length);
  return bytes.toString('latin1');
}
