import { afterEach, beforeEach, expect } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../../../server/start-gateway.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { openSocket, type SocketClient, type SocketMessage } from '../../../support/socket-client.ts';

export const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
export const OTHER = 'FUPBiGgY1whT7Reicd8zwd3Wot7bFWVT1ViP9fwCuWMn';
export const SIGNATURE =
  '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
export const CONFIRMED = { encoding: 'base64', commitment: 'confirmed' };

const CONNECTED = 'keyslot_upstream_ws_up{network="solana-localnet"} 1';

/** A node of a test's own, a gateway before it, and a client of that; other things that a test opens go into `closing`. */
export type Stage = {
  readonly node: ScriptedPubsub;
  readonly gateway: Gateway;
  readonly client: SocketClient;
  readonly closing: (() => Promise<unknown>)[];
  readonly start: (options?: Partial<GatewayOptions>) => Promise<void>;
  /** Lets the gateway lose the node, and waits until it has its subscription again, there or at another one. */
  readonly lose: (method: string, at?: ScriptedPubsub) => Promise<void>;
};

/** Sets a new stage for each test of a file. */
export function useStage(): Stage {
  const closing: (() => Promise<unknown>)[] = [];
  const open: { node?: ScriptedPubsub; gateway?: Gateway; client?: SocketClient } = {};
  const need = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the stage is not set');
    return part;
  };
  beforeEach(async () => {
    open.node = await startScriptedPubsub();
    closing.push(open.node.close);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const stage: Stage = {
    get node() {
      return need(open.node);
    },
    get gateway() {
      return need(open.gateway);
    },
    get client() {
      return need(open.client);
    },
    closing,
    start: async (options = {}) => {
      const gateway = await startGateway({ nodeUrls: [stage.node.url], ...options });
      closing.push(() => gateway.close());
      open.gateway = gateway;
      open.client = await openSocket(gateway.wsUrl);
    },
    lose: async (method, at = stage.node) => {
      const lost = new Set(stage.node.sockets);
      stage.node.cut();
      await eventually('the node has the subscription again', () => {
        const [socket] = at.sockets;
        const isAnother = socket !== undefined && !lost.has(socket);
        return isAnother && at.subscriptions(method).length === 1 ? true : undefined;
      });
      await eventually('the gateway listens', async () =>
        (await stage.gateway.metrics.registry.metrics()).includes(CONNECTED) ? true : undefined,
      );
    },
  };
  return stage;
}

/** An account's notification. */
export function account(slot: number, lamports: number) {
  return {
    context: { slot },
    value: {
      lamports,
      data: ['', 'base64'],
      owner: OTHER,
      executable: false,
      rentEpoch: 0,
      space: 0,
    },
  };
}

/** The gap in a gapNotification; any other message fails. */
export function gapOf({ method, params }: SocketMessage) {
  expect(method).toBe('gapNotification');
  return params as { subscriptions: number[]; fromSlot: number; toSlot: number; genesisHash?: string };
}

/** The result of a notification. */
export function resultOf({ params }: SocketMessage): unknown {
  return (params as { result: unknown }).result;
}
