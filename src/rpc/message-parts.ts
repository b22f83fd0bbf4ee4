import type { Envelope, Message } from './call.ts';

/** Returns the raw id to answer a message with as a whole: a single message's own, `null` for a batch. */
export function idOf(message: Message): string {
  if (message.kind === 'batch') return 'null';
  const { envelope } = message;
  return envelope.kind === 'call' ? envelope.call.id : envelope.id;
}

/** Counts the envelopes of a message that are not valid calls. */
export function countInvalid(message: Message): number {
  const envelopes: readonly Envelope[] = message.kind === 'single' ? [message.envelope] : message.envelopes;
  return envelopes.filter(({ kind }) => kind === 'invalid').length;
}
