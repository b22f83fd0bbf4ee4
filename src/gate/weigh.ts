import { METHODS } from '../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS, UNSUBSCRIBE_COST } from '../../generated/ledger/subscriptions.ts';
import type { Message } from '../rpc/call.ts';

/** What stands in counts for the methods that the specification does not have. */
export const UNKNOWN = 'unknown';
/** What stands for messages that are no calls, and for bodies that hold none. */
export const INVALID = 'invalid';
/** What stands for requests that were refused before their bodies were read. */
export const UNREAD = 'unread';

/** One message of a request, as it is limited and counted. */
export type Weighed = { readonly method: string; readonly weight: number };

/** What does not reach a method weighs as much as the lightest call. */
const LEAST = 1;
export const INVALID_MESSAGE: Weighed = { method: INVALID, weight: LEAST };
export const UNREAD_REQUEST: Weighed = { method: UNREAD, weight: LEAST };
const UNKNOWN_METHOD: Weighed = { method: UNKNOWN, weight: LEAST };

const WEIGHED: ReadonlyMap<string, Weighed> = new Map(
  [
    ...Object.values(METHODS),
    ...Object.values(SUBSCRIPTIONS),
    ...Object.values(SUBSCRIPTIONS).map(({ unsubscribe }) => ({ name: unsubscribe, cost: UNSUBSCRIBE_COST })),
  ].map(({ name, cost }) => [name, { method: name, weight: cost }]),
);

/** The methods that weigh most, which a plan has to have room for. */
export const HEAVIEST: { readonly methods: readonly string[]; readonly weight: number } = heaviest();

/** What a call of a method weighs (`x-cost`), and under which name it is counted. */
export function weighMethod(method: string): Weighed {
  return WEIGHED.get(method) ?? UNKNOWN_METHOD;
}

/** What each message of a body weighs, in order. An empty batch weighs as one message. */
export function weighMessage(message: Message): readonly Weighed[] {
  if (message.kind === 'single') return [weigh(message.envelope)];
  return message.envelopes.length === 0 ? [INVALID_MESSAGE] : message.envelopes.map(weigh);
}

type Envelope = Extract<Message, { readonly kind: 'single' }>['envelope'];

function weigh(envelope: Envelope): Weighed {
  return envelope.kind === 'invalid' ? INVALID_MESSAGE : weighMethod(envelope.call.method);
}

function heaviest(): typeof HEAVIEST {
  const all = [...WEIGHED.values()];
  const weight = Math.max(...all.map((each) => each.weight));
  return { methods: all.filter((each) => each.weight === weight).map(({ method }) => method), weight };
}
