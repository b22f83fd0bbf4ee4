/** The admitted calls of one connection. */
type Peer = { calls: number; streams: number };

/** Tracks which connections have admitted calls, by the peer's address and port. */
export class GrpcPeers {
  readonly #peers = new Map<string, Peer>();

  /** Adds a new connection. */
  add(peer: string): void {
    this.#peers.set(peer, { calls: 0, streams: 0 });
  }

  delete(peer: string): void {
    this.#peers.delete(peer);
  }

  /** Counts a call with a valid key. */
  countCall(peer: string): void {
    const known = this.#peers.get(peer);
    if (known !== undefined) known.calls++;
  }

  /** Counts an open stream; the returned function ends it, once. */
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

  /** Returns the number of calls with a valid key. */
  callsOf(peer: string): number {
    return this.#peers.get(peer)?.calls ?? 0;
  }
}
