/** The internal cause of an `upstreamBroken` whose connection broke: the only failure after which a read is retried. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}

/** The internal cause of an `upstreamTimeout` of a call that never had a connection: it says nothing of the node's health. */
export class UnsentCall extends Error {
  override readonly name = 'UnsentCall';
}
