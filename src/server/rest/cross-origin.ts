import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED = 'ratelimit, ratelimit-policy, retry-after, x-request-id, x-wallet-count';
const ALLOWED_HEADERS = 'authorization, content-type, idempotency-key, x-two-factor-code, x-wallets-received';

/** The rights of pages of other origins (Fetch standard): by default none, since a token in a page is exposed. */
export type CrossOrigin = {
  /** Lets the page of a configured origin read the answer. */
  readonly setFields: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Answers a preflight of a configured origin; false if the request is not one. */
  readonly answerPreflight: (request: FastifyRequest, reply: FastifyReply, methods: string) => boolean;
};

/** @param origins those whose pages may call; `*`: any. */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const allowed = ({ headers: { origin } }: FastifyRequest): string | undefined =>
    origin !== undefined && (origins.includes('*') || origins.includes(origin)) ? origin : undefined;
  return {
    setFields: (request, reply) => {
      if (origins.length > 0) reply.header('vary', 'origin');
      const origin = allowed(request);
      if (origin === undefined) return;
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    },
    answerPreflight: (request, reply, methods) => {
      if (allowed(request) === undefined) return false;
      reply
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', ALLOWED_HEADERS)
        .header('access-control-max-age', '86400')
        .code(204)
        .send();
      return true;
    },
  };
}
