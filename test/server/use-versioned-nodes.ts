import { afterEach } from 'vitest';
import { stringifyJson } from '../../src/core/rpc/json.ts';
import { eventually } from '../../src/core/eventually.ts';
import {
  type Gateway,
  type GatewayOptions,
  post,
  type Reply,
  readReply,
  startGateway,
} from './start-gateway.ts';
import { type Said, startVersionedNode, type VersionedNode } from './versioned-node.ts';

export type Versions = {
  readonly gateway: Gateway;
  readonly nodes: readonly VersionedNode[];
  readonly call: (method: string, ...params: readonly unknown[]) => Promise<Reply>;
};

/** Gateways before nodes of certain versions, which they have asked already. */
export function useVersionedNodes() {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const startBefore = async (
    nodes: readonly VersionedNode[],
    options: Partial<GatewayOptions> = {},
  ): Promise<Versions> => {
    const nodeUrls = nodes.map(({ url }) => url);
    const gateway = await startGateway({ nodeUrls, asksVersions: true, ...options });
    closing.push(() => gateway.close());
    await eventually(
      'the nodes have said their versions',
      () => nodes.every(({ asked }) => asked.some(({ method }) => method === 'getVersion')) || undefined,
    );
    await gateway.nodes.settled();
    const call: Versions['call'] = async (method, ...params) =>
      readReply(await post(gateway.rpcUrl, stringifyJson({ jsonrpc: '2.0', id: 1, method, params })));
    return { gateway, nodes, call };
  };
  const start = async (versions: readonly Said[], options: Partial<GatewayOptions> = {}): Promise<Versions> =>
    startBefore(await Promise.all(versions.map((said) => startVersionedNode(said))), options);
  return { start, startBefore };
}
