import type { Metadata } from '@grpc/grpc-js';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import type { Admission } from '../access/admission.ts';
import type { Authenticate, Caller } from '../access/authenticate.ts';
import { shown } from '../../core/shown.ts';
import type { Tracing } from '../../core/tracing.ts';
import { loggedError, type RequestLog } from '../access/request-log.ts';
import { outcomeOfError, type ServedOutcome } from '../access/usage-book.ts';
import type { Weighed } from '../access/weigh.ts';
import { assertMethodAllowed, type CallRulesOf } from '../access/with-allowed-methods.ts';
import { type CallHead, requestOf, textOf } from './call-request.ts';

/** A network as calls name it. */
export type CalledNetwork = {
  readonly label: string;
  readonly admission: Admission;
  /** Counts an admitted call. */
  readonly count: (caller: Caller, message: Weighed, outcome: ServedOutcome) => void;
};

export type AdmitCallOptions<N extends CalledNetwork> = {
  readonly authenticate: Authenticate;
  readonly callRulesOf: CallRulesOf;
  /** The first one is the default. */
  readonly networks: readonly N[];
  /** Records which connections have admitted calls. */
  readonly peers: GrpcPeers;
  /** Absent: calls are not logged. */
  readonly requests?: RequestLog | undefined;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
};

/** The caller and the network of an admitted call. */
export type Admitted<N extends CalledNetwork> = { readonly caller: Caller; readonly network: N };

/** A call, and the id that its answer and its row in the log of requests have. */
export type MarkedCall = CallHead & { readonly requestId: string };

/**
 * Admits a call: checks the key, the network, and the plan; a call weighs 1. Admitted calls are counted and logged by the outcome of
 * `work`.
 *
 * @param method the name under which the call is counted.
 * @throws ServiceError the errors of `Authenticate`; `networkUnknown`; those of an admission; `apiKeyMethodRefused`, but for topics; the
 *   errors of `work`.
 */
export function admitCall<N extends CalledNetwork, A>(
  options: AdmitCallOptions<N>,
  call: MarkedCall,
  method: CallName,
  work: (admitted: Admitted<N>) => Promise<A>,
): Promise<A> {
  const { tracing } = options;
  if (tracing === undefined) return admit(options, call, method, work);
  const name = method === 'Subscribe' ? 'grpc stream opened' : 'grpc call';
  const start = { name, attributes: { 'rpc.method': method } } as const;
  return tracing.request({ ...start, traceparent: textOf(call.metadata, 'traceparent') }, (span) =>
    admit(options, call, method, (admitted) => {
      span.set({ 'keyslot.network': admitted.network.label });
      return work(admitted);
    }),
  );
}

/** The calls of the stream service. */
export type CallName = 'Subscribe' | 'ListTopics' | 'GetTopicSchema';

async function admit<N extends CalledNetwork, A>(
  { authenticate, callRulesOf, networks, peers, requests }: AdmitCallOptions<N>,
  call: MarkedCall,
  method: CallName,
  work: (admitted: Admitted<N>) => Promise<A>,
): Promise<A> {
  const startMs = performance.now();
  const mark = { id: call.requestId, protocol: 'grpc' } as const;
  const authenticated = authenticate(requestOf(call), labelOf(call, networks), mark);
  peers.countCall(call);
  const network = networkOf(networks, textOf(call.metadata, 'x-network'));
  const caller = { ...authenticated, mark: { ...mark, network: network.label } };
  const message = { method, weight: 1 };
  const { refusal } = await network.admission.admit(caller, [message]);
  if (refusal !== undefined) throw refusal;
  try {
    // A stream is refused by its topic.
    if (method !== 'Subscribe') assertMethodAllowed(callRulesOf(caller.keyId), method);
    const answer = await work({ caller, network });
    network.count(caller, message, 'ok');
    noteCall(requests, caller, { method, startMs });
    return answer;
  } catch (error) {
    network.count(caller, message, outcomeOfError(error));
    noteCall(requests, caller, { method, startMs, error });
    throw error;
  }
}

/** Returns the label of the network that a call names; undefined if there is none of this name. */
export function labelOf(
  { metadata }: Pick<CallHead, 'metadata'>,
  networks: readonly CalledNetwork[],
): string | undefined {
  const named = textOf(metadata, 'x-network');
  return named === undefined ? networks[0]?.label : networks.find(({ label }) => label === named)?.label;
}

type EndedCall = { readonly method: CallName; readonly startMs: number; readonly error?: unknown };

/** Notes a call in the log of requests; a stream when it is open, and again when the server ends it with an error. */
export function noteCall(
  requests: RequestLog | undefined,
  { keyId, accountId, mark }: Caller,
  { method, startMs, error }: EndedCall,
): void {
  const isError = error !== undefined;
  if (requests === undefined || mark === undefined || !requests.wants(accountId, isError)) return;
  requests.note(accountId, mark, {
    method,
    callerKind: 'key',
    callerId: keyId,
    durationUs: Math.round((performance.now() - startMs) * 1_000),
    ...(isError && loggedError(toServiceError(error).code, mark, false)),
  });
}

function networkOf<N extends CalledNetwork>(networks: readonly N[], name: string | undefined): N {
  const found = name === undefined ? networks[0] : networks.find(({ label }) => label === name);
  if (found !== undefined) return found;
  const known = networks.map(({ label }) => label).join(', ');
  throw serviceError('networkUnknown', { network: shown(name ?? ''), known });
}

/** A connection with its admitted calls. */
type Peer = { calls: number; streams: number; readonly cut: () => void };

/** Tracks which connections have admitted calls, by the peer's address and port. */
export class GrpcPeers {
  readonly #peers = new Map<string, Peer>();
  readonly #waiting = new WeakMap<Metadata, () => void>();

  /** Adds a new connection. @param cut ends it at once. */
  add(peer: string, cut: () => void): void {
    this.#peers.set(peer, { calls: 0, streams: 0, cut });
  }

  /** Ends a connection at once, with all its calls. */
  cut(peer: string): void {
    this.#peers.get(peer)?.cut();
  }

  delete(peer: string): void {
    this.#peers.delete(peer);
  }

  /** Calls back once if the call of this metadata turns out to have a valid key. */
  whenAdmitted(metadata: Metadata, then: () => void): void {
    this.#waiting.set(metadata, then);
  }

  /** Counts a call with a valid key. */
  countCall(call: CallHead): void {
    const known = this.#peers.get(call.getPeer());
    if (known !== undefined) known.calls++;
    this.#waiting.get(call.metadata)?.();
    this.#waiting.delete(call.metadata);
  }

  /** Counts an open stream; the returned function ends it, once. */
  holdStream(peer: string): () => void {
    const known = this.#peers.get(peer);
    if (known === undefined) return () => undefined;
    known.streams++;
    return () => {
      known.streams--;
      known.calls++;
    };
  }

  hasStreams(peer: string): boolean {
    return (this.#peers.get(peer)?.streams ?? 0) > 0;
  }

  /** Returns the number of calls with a valid key. */
  callsOf(peer: string): number {
    return this.#peers.get(peer)?.calls ?? 0;
  }
}
