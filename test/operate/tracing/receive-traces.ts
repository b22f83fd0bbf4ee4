import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type ReceivedSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Undefined: it did not fail. */
  readonly statusCode: number | undefined;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
};

export type TraceReceiver = {
  /** Its address for traces. */
  readonly endpoint: string;
  /** All that was received, fields of the header too, as text. */
  readonly texts: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  readonly spans: () => readonly ReceivedSpan[];
  readonly close: () => Promise<void>;
};

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };

type Body = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'statusCode'> & {
        readonly status: { readonly code?: number };
        readonly attributes: readonly { readonly key: string; readonly value: Value }[];
      })[];
    }[];
  }[];
};

/** A collector that takes traces by OTLP over HTTP, as JSON. `answer`: how it answers; default: it takes all. */
export async function receiveTraces(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end('{}'),
): Promise<TraceReceiver> {
  const texts: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    texts.push(`${JSON.stringify(request.headers)}\n${body}`);
    authorizations.push(request.headers.authorization);
    const { resourceSpans } = JSON.parse(body) as Body;
    for (const { scopeSpans } of resourceSpans)
      for (const { spans: some } of scopeSpans)
        for (const { attributes, status, ...span } of some)
          spans.push({ ...span, statusCode: status.code || undefined, attributes: toRecord(attributes) });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    texts,
    authorizations,
    spans: () => spans,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toRecord(attributes: readonly { readonly key: string; readonly value: Value }[]) {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue ?? '']),
  );
}
