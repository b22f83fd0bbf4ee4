/** What the calls of one connection amount to. */
type Peer = { calls: number; streams: number };

/** Which connections have calls that were let in, by the address and port of the other end. */
export class GrpcPeers {
  readonly #peers = new Map<string, Peer>();

  /** A connection has been opened. */
  add(peer: string): void {
    this.#peers.set(peer, { calls: 0, streams: 0 });
  }

  delete(peer: string): void {
    this.#peers.delete(peer);
  }

  /** A call with a good key has come. */
  countCall(peer: string): void {
    const known = this.#peers.get(peer);
    if (known !== undefined) known.calls++;
  }

  /** A stream is open; what is returned ends it, once. */
  holdStream(peer: string): () => void {
    const known = this.#peers.get(peer);
    if (known === undefined) return () => undefined;
    known.streams++;
    return () => {
      known.streams--;
      known.calls++;
    };
  }

  hasStreams(peer: string): boolean {
    return (this.#peers.get(peer)?.streams ?? 0) > 0;
  }

  /** How many calls with a good key have come. */
  callsOf(peer: string): number {
    return this.#peers.get(peer)?.calls ?? 0;
  }
}
