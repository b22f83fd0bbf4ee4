/** The kinds of spans. */
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
 * The attributes of a span. Values come from the specification, the settings or counts, never from a request: no key, address, signature or
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
  /** True: the node answered with its own error. */
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

/** Runs work in spans, which end with it; a failure is recorded by its code. Tracing neither fails nor delays the work. */
export type Tracing = {
  /**
   * Runs a request of a client.
   *
   * @param traceparent what the client sent in the header of that name (W3C Trace Context); the settings decide how it is used.
   */
  readonly request: <T>(
    start: SpanStart & { readonly traceparent?: string | readonly string[] | undefined },
    work: (span: OpenSpan) => Promise<T>,
  ) => Promise<T>;
  /** Runs a part of a request. Outside of a traced request it only runs the work. */
  readonly part: <T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>) => Promise<T>;
};

/** The span name of every method that is not in the specification. */
export const OTHER_METHOD = '_OTHER';
