import { METHODS } from '../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS, UNSUBSCRIBE_COST } from '../../../generated/ledger/subscriptions.ts';
import { TRACE } from '../../gateway/ledger/with-trace.ts';
import type { ErrorName } from '../../../generated/errors.ts';
import type { Message } from '../../core/rpc/call.ts';
import { type Plan, planProblem } from '../../account/plans/plan.ts';

/** The count name of methods that are not in the specification. */
export const UNKNOWN = 'unknown';
/** The count name of messages that are not valid calls, and of bodies without any. */
export const INVALID = 'invalid';
/** The count name of requests that were refused before their bodies were read. */
export const UNREAD = 'unread';

/** One message of a request, as limits and counts see it. */
export type Weighed = {
  readonly method: string;
  readonly weight: number;
  /** The fault of a message that is not a valid call. */
  readonly error?: ErrorName;
};

/** The weight of a message that does not reach a method: that of the lightest call. */
const LEAST = 1;
export const INVALID_MESSAGE: Weighed = { method: INVALID, weight: LEAST };
/** A valid request without messages: it is charged, and counted only when it is refused. */
export const EMPTY_BATCH: Weighed = { method: INVALID, weight: LEAST };
export const UNREAD_REQUEST: Weighed = { method: UNREAD, weight: LEAST };
/** Reading this much of a body costs about as much as one call. */
export const CALL_BYTES = 16 * 1024;
const UNKNOWN_METHOD: Weighed = { method: UNKNOWN, weight: LEAST };

const WEIGHED: ReadonlyMap<string, Weighed> = new Map(
  [
    ...Object.values(METHODS),
    ...Object.values(SUBSCRIPTIONS),
    // A cheat code, which is no method of the specification: it runs a transaction at most.
    { name: TRACE, cost: METHODS.simulateTransaction.cost },
    ...Object.values(SUBSCRIPTIONS).map(({ unsubscribe }) => ({ name: unsubscribe, cost: UNSUBSCRIBE_COST })),
  ].map(({ name, cost }) => [name, { method: name, weight: cost }]),
);

/** The heaviest methods, which a plan must have room for. */
export const HEAVIEST: { readonly methods: readonly string[]; readonly weight: number } = heaviest();

/** Returns the weight of a call of a method (`x-cost`), and the name under which it is counted. */
export function weighMethod(method: string): Weighed {
  return WEIGHED.get(method) ?? UNKNOWN_METHOD;
}

/** Returns the weight of this many bytes of a body: 1 for each 16 KiB begun, at most `most`. */
export function weighBytes(sizeBytes: number, most: number): number {
  return Math.max(LEAST, Math.min(Math.ceil(sizeBytes / CALL_BYTES), most));
}

/** Returns the weights of the messages of a body, in order. An empty batch weighs as one message. */
export function weighMessage(message: Message): readonly Weighed[] {
  if (message.kind === 'single') return [weigh(message.envelope)];
  return message.envelopes.length === 0 ? [EMPTY_BATCH] : message.envelopes.map(weigh);
}

type Envelope = Extract<Message, { readonly kind: 'single' }>['envelope'];

function weigh(envelope: Envelope): Weighed {
  return envelope.kind === 'invalid'
    ? { ...INVALID_MESSAGE, error: envelope.error.code }
    : weighMethod(envelope.call.method);
}

function heaviest(): typeof HEAVIEST {
  const all = [...WEIGHED.values()];
  const weight = Math.max(...all.map((each) => each.weight));
  return { methods: all.filter((each) => each.weight === weight).map(({ method }) => method), weight };
}

/** Describes the fault in the figures of a plan; undefined if they are valid and every call can be served. */
export function planFault(figures: Pick<Plan, 'requestsPerSecond' | 'burst'>): string | undefined {
  return planProblem(figures) ?? tooNarrow(figures.burst);
}

/** A call that weighs more than the burst would never be served. */
function tooNarrow(burst: number): string | undefined {
  const { methods, weight } = HEAVIEST;
  if (burst >= weight) return undefined;
  return `burst is ${burst}; must be at least ${weight}, the weight of a call of ${methods.join(' or ')}, which would never be served`;
}
