/** A gateway of the lab, as clients and checks see it. */
export type LabGateway = {
  readonly name: string;
  /** Addresses of the proxies in front of it, which stay while it is started again. */
  readonly baseUrl: string;
  /** The JSON-RPC address, without a key. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly grpcUrl: string;
  /** True while nothing keeps it from answering: no fault of its own, and it has started. */
  readonly isServing: () => boolean;
  /** Goes up when a fault of it begins and ends: a request with the same number before and after was not disturbed. */
  readonly disturbances: () => number;
  /** Counts its starts: it knows nothing of what it showed in an earlier life. */
  readonly life: () => number;
  /**
   * The instant (`performance.now()`) since which nothing of its own and nothing on its way to the store has kept it from hearing what
   * other gateways write; undefined while something does.
   */
  readonly hearsSinceMs: () => number | undefined;
};

/** The next gateway that serves, in turn; undefined while none does. */
export function servingGateway(gateways: readonly LabGateway[], turn: number): LabGateway | undefined {
  const serving = gateways.filter((gateway) => gateway.isServing());
  return serving[turn % Math.max(1, serving.length)];
}
