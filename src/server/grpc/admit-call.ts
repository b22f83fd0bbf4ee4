import { serviceError } from '../../base/service-error.ts';
import type { Admission } from '../../gate/admission.ts';
import type { Authenticate, Caller } from '../../gate/authenticate.ts';
import type { Weighed } from '../../gate/weigh.ts';
import type { GrpcPeers } from './grpc-peers.ts';
import { type CallHead, requestOf, textOf } from './call-request.ts';

/** A network as calls name it. */
export type CalledNetwork = {
  readonly label: string;
  readonly admission: Admission;
  /** Counts what was admitted. */
  readonly count: (caller: Caller, message: Weighed, outcome: 'ok' | 'error') => void;
};

export type AdmitCallOptions<N extends CalledNetwork> = {
  readonly authenticate: Authenticate;
  /** The first one is meant where a call names none. */
  readonly networks: readonly N[];
  /** Told which connections have calls that were let in. */
  readonly peers: GrpcPeers;
};

/** Who calls, and on which network. */
export type Admitted<N extends CalledNetwork> = { readonly caller: Caller; readonly network: N };

/**
 * The gate of every call: the key, the network, and what the plan allows; a call weighs 1. What was admitted is counted, by how
 * `work` ends.
 *
 * @param method the name under which it is counted.
 * @throws ServiceError what `Authenticate` throws; `networkUnknown`; `rateLimited`; what `work` throws.
 */
export async function admitCall<N extends CalledNetwork, A>(
  { authenticate, networks, peers }: AdmitCallOptions<N>,
  call: CallHead,
  method: string,
  work: (admitted: Admitted<N>) => Promise<A>,
): Promise<A> {
  const caller = authenticate(requestOf(call));
  peers.countCall(call.getPeer());
  const network = networkOf(networks, textOf(call.metadata, 'x-network'));
  const message = { method, weight: 1 };
  const { refusal } = await network.admission.admit(caller, [message]);
  if (refusal !== undefined) throw refusal;
  try {
    const answer = await work({ caller, network });
    network.count(caller, message, 'ok');
    return answer;
  } catch (error) {
    network.count(caller, message, 'error');
    throw error;
  }
}

function networkOf<N extends CalledNetwork>(networks: readonly N[], name: string | undefined): N {
  const found = name === undefined ? networks[0] : networks.find(({ label }) => label === name);
  if (found !== undefined) return found;
  const known = networks.map(({ label }) => label).join(', ');
  throw serviceError('networkUnknown', { network: shown(name ?? ''), known });
}

const SHOWN_CHARACTERS = 100;

/** What a caller wrote, short enough to be repeated to it. */
export function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
