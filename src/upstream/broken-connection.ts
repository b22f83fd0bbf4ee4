/** The internal cause of an `upstreamBroken` whose connection broke: the only failure after which a read is retried. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}
