import type { Metadata } from '@grpc/grpc-js';
import { serviceError } from '../../core/service-error.ts';
import type { Admission } from '../access/admission.ts';
import type { Authenticate, Caller } from '../access/authenticate.ts';
import { shown } from '../../core/shown.ts';
import type { Tracing } from '../../core/tracing.ts';
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
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
};

/** The caller and the network of an admitted call. */
export type Admitted<N extends CalledNetwork> = { readonly caller: Caller; readonly network: N };

/**
 * Admits a call: checks the key, the network, and the plan; a call weighs 1. Admitted calls are counted by the outcome of
 * `work`.
 *
 * @param method the name under which the call is counted.
 * @throws ServiceError the errors of `Authenticate`; `networkUnknown`; those of an admission; `apiKeyMethodRefused`, but for topics; the
 *   errors of `work`.
 */
export function admitCall<N extends CalledNetwork, A>(
  options: AdmitCallOptions<N>,
  call: CallHead,
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
  { authenticate, callRulesOf, networks, peers }: AdmitCallOptions<N>,
  call: CallHead,
  method: CallName,
  work: (admitted: Admitted<N>) => Promise<A>,
): Promise<A> {
  const caller = authenticate(requestOf(call), labelOf(call, networks));
  peers.countCall(call);
  const network = networkOf(networks, textOf(call.metadata, 'x-network'));
  const message = { method, weight: 1 };
  const { refusal } = await network.admission.admit(caller, [message]);
  if (refusal !== undefined) throw refusal;
  try {
    // A stream is refused by its topic.
    if (method !== 'Subscribe') assertMethodAllowed(callRulesOf(caller.keyId), method);
    const answer = await work({ caller, network });
    network.count(caller, message, 'ok');
    return answer;
  } catch (error) {
    network.count(caller, message, outcomeOfError(error));
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
