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

/** Random bytes for the next ids: drawing them one by one would cost a request more than all else that its id does. */
const drawn = new Uint8Array(CHARACTERS * 256);
let next = drawn.length;

/** Returns a unique name for a request, or for background work. */
export function createRequestId(): string {
  if (next === drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  let id = 'req_';
  for (const end = next + CHARACTERS; next < end; next++)
    id += ALPHABET[(drawn[next] ?? 0) % ALPHABET.length];
  return id;
}
