import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { localnetArguments } from '../config/localnet-settings.ts';
import { programUrl } from '../base/program.ts';
import { serviceError } from '../base/service-error.ts';
import type { SupervisedChild } from '../base/supervised-child.ts';
import { forkedChild } from '../base/forked-child.ts';
import { connectNode, type NodeOptions } from '../upstream/open-upstream.ts';
import { pubsubAddresses } from '../config/pubsub-address.ts';
import type { PubsubNode } from '../upstream/pubsub-link.ts';
import type { Upstream } from '../upstream/upstream.ts';

type ReachedNode = Pick<PubsubNode, 'addresses' | 'upstream'>;

/** The embedded ledger node: a child process, reached over loopback like any other node. Its WebSocket is on its HTTP port. */
export type EmbeddedLedger = {
  readonly upstream: Upstream;
  /** The same node with its WebSocket; empty while it is down. */
  readonly nodes: () => readonly ReachedNode[];
  readonly child: SupervisedChild<number>;
  /** Resolves when the child is ready for the first time. */
  readonly ready: Promise<void>;
};

const MODULE = fileURLToPath(programUrl(new URL('../localnet/main.ts', import.meta.url)));

export type EmbeddedLedgerOptions = {
  readonly settings: Config['localnet'];
  /** The folder in which the ledger is kept, unless it is ephemeral. */
  readonly directory: string;
  readonly node: NodeOptions;
};

/** Starts the embedded ledger. While it is down, calls get `upstreamUnavailable`. `close` stops the child. */
export function startEmbeddedLedger(options: EmbeddedLedgerOptions, log: Logger): EmbeddedLedger {
  const firstReady = Promise.withResolvers<void>();
  let node: ReachedNode | undefined;
  const replaceNode = (next: ReachedNode | undefined): void => {
    const previous = node;
    node = next;
    previous?.upstream
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'closing connections to localnet failed'));
  };
  const child = forkedChild(
    {
      name: 'localnet',
      modulePath: MODULE,
      args: ['--rpc-port', '0', ...switches(options), ...localnetArguments(options.settings)],
      onReady: (port) => {
        const url = `http://127.0.0.1:${port}/`;
        if (options.settings.cheat_codes) log.info({ url }, 'the embedded ledger serves cheat codes here');
        const [address = ''] = pubsubAddresses({ url });
        replaceNode({ addresses: [address], upstream: connectNode(url, options.node) });
        firstReady.resolve();
      },
      onDown: () => replaceNode(undefined),
    },
    log,
  );
  child.start();
  const upstream: Upstream = {
    send: async (request) => {
      if (node === undefined) throw serviceError('upstreamUnavailable');
      return node.upstream.send(request);
    },
    close: async () => {
      await node?.upstream.close();
      await child.stop();
    },
  };
  return { upstream, nodes: () => (node === undefined ? [] : [node]), child, ready: firstReady.promise };
}

/** The options that are no number. */
function switches({ settings, directory }: EmbeddedLedgerOptions): readonly string[] {
  return [
    ...(settings.ephemeral ? [] : ['--ledger', directory]),
    ...(settings.votes ? [] : ['--no-votes']),
    ...(settings.cheat_codes ? ['--cheat-codes'] : []),
  ];
}
