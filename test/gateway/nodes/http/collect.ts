import type { Exchange, Flow } from '../../../../src/gateway/nodes/http/exchange.ts';
import type { ResponseHead } from '../../../../src/gateway/nodes/http/response-head.ts';

/** The reply of an exchange. */
export type Collected = { readonly head: ResponseHead; readonly body: string };

export type CollectingExchange = Exchange & {
  readonly done: Promise<Collected>;
  readonly started: Promise<Flow>;
};

/** An exchange that remembers the whole response; `done` rejects with what `onError` says. */
export function collect(body = '{}'): CollectingExchange {
  const { promise: done, resolve, reject } = Promise.withResolvers<Collected>();
  const { promise: started, resolve: start } = Promise.withResolvers<Flow>();
  const parts: Buffer[] = [];
  let head: ResponseHead | undefined;
  done.catch(() => undefined);
  return {
    body: Buffer.from(body),
    done,
    started,
    onStart: start,
    onHead: (next) => {
      head = next;
    },
    onData: (data) => void parts.push(Buffer.from(data)),
    onEnd: () => {
      if (head === undefined) reject(new Error('an end without a head'));
      else resolve({ head, body: Buffer.concat(parts).toString('latin1') });
    },
    onError: reject,
  };
}
