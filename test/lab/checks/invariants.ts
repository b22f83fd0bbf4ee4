/** Statements that hold of an installation whatever fails around it. */
export const INVARIANTS = {
  failed_read: 'No read fails that a healthy node could have answered.',
  duplicate_send: 'No transaction is sent to a node twice, or to more nodes than the configuration says.',
  stale_read: 'Nobody is shown less than before in the same session, or what is so on another ledger.',
  broken_batch: 'Each entry of a batch is answered exactly once.',
  silent_gap: 'No subscription leaves out a slot without saying so, or falls silent.',
  lost_wallet: 'Every wallet that a client received is there, at every gateway.',
  broken_stream: 'A stream of wallets comes whole; asked for again, it begins with what it told before.',
  changed_child: 'The same path below a master is always the same wallet.',
  lost_charge: 'What was delivered is charged once, and balance and charges add up to the credit.',
  lost_event: 'Every slot arrives in a stream, and every operation is in an audit log that verifies.',
  destroyed_signs: 'No destroyed wallet signs, is shown or is derived again, at any gateway.',
  lost_delivery: 'Every record of the audit log reaches the webhook of its account, signed.',
  disordered_delivery: 'Events of one wallet reach a webhook in their order.',
  lost_gateway: 'A gateway outlives its signer and its store.',
  lost_key: 'An API key works at every gateway a second after it was made, until it is revoked.',
  revoked_works: 'A revoked or replaced API key is refused at every gateway a second later.',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export const INVARIANT_NAMES = Object.keys(INVARIANTS) as readonly Invariant[];
