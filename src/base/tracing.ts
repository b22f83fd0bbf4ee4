/** The spans that there are. */
export type SpanName =
  | 'json-rpc request'
  | 'json-rpc call'
  | 'json-rpc calls'
  | 'node call'
  | 'websocket message'
  | 'grpc call'
  | 'grpc stream opened'
  | 'grpc stream ended'
  | 'rest operation'
  | 'signer call'
  | 'store transaction';

/**
 * All that a span says. Values come from the specification, the settings or counts, never from a request: no key, address, signature or
 * name of a client may get in.
 */
export type SpanAttributes = {
  /** `<name>-<environment>`. */
  readonly 'keyslot.network'?: string;
  /** The node's name. */
  readonly 'keyslot.node'?: string;
  /** A topic of the specification. */
  readonly 'keyslot.topic'?: string;
  /** The name of an operation of the REST services, or of the signer. */
  readonly 'keyslot.operation'?: string;
  /** Calls in a message. */
  readonly 'keyslot.calls'?: number;
  /** True: the node answered with an error of its own. */
  readonly 'keyslot.node_error'?: boolean;
  /** A method of the specification, or `_OTHER`. */
  readonly 'rpc.method'?: string;
  readonly 'http.response.status_code'?: number;
  /** A code of the catalogue of errors. */
  readonly 'error.type'?: string;
};

export type SpanStart = { readonly name: SpanName; readonly attributes?: SpanAttributes };

/** A span that is under way. */
export type OpenSpan = { readonly set: (attributes: SpanAttributes) => void };

/** Runs work in spans, which end with it: an error by its code. Nothing of it fails or delays the work. */
export type Tracing = {
  /**
   * Runs a request of a client.
   *
   * @param traceparent what the client sent in the header of that name (W3C Trace Context); the settings say what it counts for.
   */
  readonly request: <T>(
    start: SpanStart & { readonly traceparent?: string | readonly string[] | undefined },
    work: (span: OpenSpan) => Promise<T>,
  ) => Promise<T>;
  /** Runs a part of a request. Outside of a request that is traced there is only the work. */
  readonly part: <T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>) => Promise<T>;
};

/** The name in spans of every method that is not in the specification. */
export const OTHER_METHOD = '_OTHER';
