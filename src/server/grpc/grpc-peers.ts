/** A connection with its admitted calls. */
type Peer = { calls: number; streams: number; readonly cut: () => void };

/** Tracks which connections have admitted calls, by the peer's address and port. */
export class GrpcPeers {
  readonly #peers = new Map<string, Peer>();

  /** Adds a new connection. @param cut ends it at once. */
  add(peer: string, cut: () => void): void {
    this.#peers.set(peer, { calls: 0, streams: 0, cut });
  }

  /** Ends a connection at once, with all its calls. */
  cut(peer: string): void {
    this.#peers.get(peer)?.cut();
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
