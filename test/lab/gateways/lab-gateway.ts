import { eventually } from '../../../src/core/eventually.ts';
import { type CutProxy, startCutProxy } from '../faults/cut-proxy.ts';
import { type Gateway, isOk } from './gateway.ts';

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

/** A gateway of the lab, and what can be done to it. */
export type GatewayProcess = LabGateway &
  Omit<Gateway, keyof LabGateway> & {
    readonly proxies: readonly CutProxy[];
    /** Something of its own keeps it from answering from now on, or no more. */
    readonly disturb: (isDisturbed: boolean) => void;
    /** Stops it as an upgrade behind a load balancer does: it is sent requests until it says that it is not ready, and has to answer them. */
    readonly retire: () => Promise<void>;
    /** Resolves when it answers. */
    readonly answers: () => Promise<void>;
    readonly close: () => Promise<void>;
  };

/** A start takes seconds, and on a busy machine minutes. */
const START_MS = 300_000;
const AGAIN_MS = 500;
const STOP = { timeoutMs: 60_000 };

/** Puts a gateway behind proxies of its own. `toStore` is its way to the store, if that is not its own. */
export async function superviseGateway(
  name: string,
  gateway: Gateway,
  toStore?: CutProxy,
): Promise<GatewayProcess> {
  const proxies = [
    await startCutProxy(Number(new URL(gateway.baseUrl).port)),
    await startCutProxy(Number(new URL(gateway.grpcUrl).port)),
  ] as const;
  const address = `127.0.0.1:${proxies[0].port}`;
  const path = new URL(gateway.rpcUrl).pathname;
  let [life, disturbances, isDisturbed, mendedMs] = [0, 0, true, 0];
  const answers = async (): Promise<void> =>
    void (await eventually(`${name} answers`, () => isOk(`${gateway.baseUrl}/healthz`), {
      timeoutMs: START_MS,
    }));
  const announcesStop = async (): Promise<true | undefined> =>
    (await isOk(`${gateway.baseUrl}/readyz`)) ? undefined : true;
  return {
    ...gateway,
    name,
    proxies,
    answers,
    baseUrl: `http://${address}`,
    rpcUrl: `http://${address}${path}`,
    wsUrl: `ws://${address}${path}`,
    grpcUrl: `http://127.0.0.1:${proxies[1].port}`,
    isServing: () => !isDisturbed,
    disturbances: () => disturbances,
    life: () => life,
    hearsSinceMs: () => {
      const storeMs = toStore === undefined ? mendedMs : toStore.soundSinceMs();
      return isDisturbed || storeMs === undefined ? undefined : Math.max(mendedMs, storeMs);
    },
    disturb: (is) => {
      isDisturbed = is;
      disturbances++;
      if (!is) mendedMs = performance.now();
    },
    retire: async () => {
      const stopped = gateway.stop();
      await Promise.race([eventually(`${name} stops`, announcesStop, STOP), stopped]);
      isDisturbed = true;
      await stopped;
    },
    // As often as it takes: its store may be away.
    start: async (root) => {
      const untilMs = performance.now() + START_MS;
      for (let isStarted = false; !isStarted; ) {
        isStarted = await gateway.start(root).then(
          () => true,
          async (error: unknown) => {
            if (life === 0 || performance.now() > untilMs) throw error;
            await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
            return false;
          },
        );
      }
      life++;
      await answers();
    },
    close: async () => {
      await gateway.kill();
      for (const proxy of proxies) await proxy.close();
    },
  };
}

/** The next gateway that serves, in turn; undefined while none does. */
export function servingGateway(gateways: readonly LabGateway[], turn: number): LabGateway | undefined {
  const serving = gateways.filter((gateway) => gateway.isServing());
  return serving[turn % Math.max(1, serving.length)];
}
