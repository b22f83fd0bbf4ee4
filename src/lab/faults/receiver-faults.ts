import type { EventReceiver, ReceiverFault } from '../receiver/event-receiver.ts';
import type { FaultKind } from '../scenario/fault-kinds.ts';
import type { StartedFault } from './fault.ts';

const FAULTS: Readonly<Record<ReceiverFault, string>> = {
  error: 'answers 500',
  half_open: 'takes events and answers nothing',
  reset: 'takes events and resets the connection',
  cut_off: 'takes no connections',
};

/** Begins a fault of the receiver of webhooks. */
export function beginReceiverFault(receiver: EventReceiver, kind: FaultKind): StartedFault {
  if (!isReceiverFault(kind)) throw new Error(`a receiver has no fault ${kind}`);
  receiver.fail(kind);
  return { what: FAULTS[kind], end: async () => receiver.mend() };
}

function isReceiverFault(kind: FaultKind): kind is ReceiverFault {
  return Object.hasOwn(FAULTS, kind);
}
