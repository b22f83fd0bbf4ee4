import { serviceError } from '../../../../src/core/service-error.ts';
import type { UpstreamReply } from '../../../../src/core/rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';

/** A result, an error that the call fails with, or no answer until the call is given up. */
export type Played = { readonly result: unknown } | { readonly fails: Error } | 'nothing';

export type PlayedNode = Upstream & {
  /** The calls received, in order: `isOurs` if the gateway made it on its own account. */
  readonly seen: readonly { readonly method: string; readonly isOurs: boolean; readonly params: unknown }[];
  /** The number of a method's calls that the gateway made on its own account. */
  readonly asked: (method: string) => number;
  /** Answers each call from now on. */
  play: (answer: (method: string) => Played) => void;
  readonly isClosed: () => boolean;
};

export const LOST = serviceError('upstreamUnavailable');
export const agave = (version: string, featureSet = 7): Played => ({
  result: { 'solana-core': version, 'feature-set': featureSet },
});
export const whole = (text: string): UpstreamReply => ({
  kind: 'whole',
  body: Buffer.from(text),
  isError: false,
});

/** A node without a network between: answers as it is told, at once. */
export function playedNode(first: (method: string) => Played): PlayedNode {
  let answer = first;
  let isClosed = false;
  const seen: PlayedNode['seen'][number][] = [];
  return {
    seen,
    isClosed: () => isClosed,
    asked: (method) => seen.filter((call) => call.isOurs && call.method === method).length,
    play: (next) => {
      answer = next;
    },
    send: async ({ body, method, signal }: UpstreamRequest) => {
      const { id, params } = JSON.parse(body.toString()) as {
        readonly id: unknown;
        readonly params: unknown;
      };
      seen.push({ method, isOurs: id === 'keyslot', params });
      const played = answer(method);
      if (played === 'nothing') return new Promise<never>((_, reject) => void signal.onAbort(reject));
      if ('fails' in played) throw played.fails;
      return whole(JSON.stringify({ jsonrpc: '2.0', id, result: played.result }));
    },
    close: async () => {
      isClosed = true;
    },
  };
}
