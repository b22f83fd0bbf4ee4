import type { Envelope, Message } from './call.ts';

/** The raw id that a message as a whole is answered to: that of a single one, `null` for a batch. */
export function idOf(message: Message): string {
  if (message.kind === 'batch') return 'null';
  const { envelope } = message;
  return envelope.kind === 'call' ? envelope.call.id : envelope.id;
}

/** How many of its envelopes are no calls. */
export function countInvalid(message: Message): number {
  const envelopes: readonly Envelope[] = message.kind === 'single' ? [message.envelope] : message.envelopes;
  return envelopes.filter(({ kind }) => kind === 'invalid').length;
}
