/** The internal cause of an `upstreamBroken` whose connection broke: the one failure that a read is retried after. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}
