import type { FastifyReply } from 'fastify';

/** Copies the headers that Fastify holds to the response of node:http, for an answer that Fastify does not send. */
export function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}
