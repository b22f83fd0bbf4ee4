import { openLedger } from './open-ledger.ts';
import { readStartOptions } from './read-start-options.ts';
import { serveLedger } from './serve-ledger.ts';
import type { Localnet, StartLocalnetOptions } from './start-options.ts';

export type { Localnet, StartLocalnetOptions };

/** Close code after which a client does not reconnect: web3.js 1.x would retry for ever, and keep its process alive. */
const FOR_GOOD = 1000;

/**
 * Starts an embedded ledger in this process, in memory and on a free port unless options say otherwise. Any number of them can run at a time;
 * each has its own accounts and its own clock. It keeps the process alive until it is closed.
 *
 * @throws Error naming the option and what is wrong with it, or the port that cannot be listened on.
 */
export async function startLocalnet(options: StartLocalnetOptions = {}): Promise<Localnet> {
  const settings = readStartOptions(options);
  const kept = await openLedger(settings);
  const {
    server,
    failed,
    close: end,
  } = await serveLedger(kept, settings, { sockets: { closeCode: FOR_GOOD } });
  let failure: { readonly reason: unknown } | undefined;
  failed.catch((reason: unknown) => {
    failure = { reason };
  });
  let ended: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    ended ??= end();
    await ended;
    if (failure !== undefined) throw failure.reason;
  };
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  const address = `${host}:${server.port}`;
  return {
    rpcUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}
