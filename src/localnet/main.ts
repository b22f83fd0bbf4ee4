import { hardenProcess } from '../base/harden-process.ts';
import { ServiceError } from '../base/service-error.ts';
import { encodeBase58 } from './bytes/base58.ts';
import { Ledger } from './ledger.ts';
import { type LocalnetOptions, parseLocalnetArguments, readLocalnetOptions } from './localnet-options.ts';
import { type RpcServer, startRpcServer } from './server.ts';
import { startSlotTimer } from './slot-timer.ts';

export { readLocalnetOptions };

const CLOSE_DEADLINE_MS = 1_000;
/** A transaction is pending for a slot, within these bounds: long enough for a client to subscribe to it, and no longer. */
const LANDING_DELAY_MS = { least: 50, most: 200 };

/**
 * Runs the embedded ledger until SIGTERM or SIGINT, or until its parent process closes the IPC channel. It sends `{kind: 'ready', port}` to
 * a parent, or prints its address.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function runLocalnet(options: LocalnetOptions): Promise<void> {
  hardenProcess();
  const landingDelayMs = Math.max(LANDING_DELAY_MS.least, Math.min(options.slotMs, LANDING_DELAY_MS.most));
  const ledger = new Ledger({ ...options, landingDelayMs, nowMs: Date.now });
  const stopped = untilStopped();
  const server = await startRpcServer(ledger, { host: options.host, port: options.rpcPort });
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  ledger.rpcAddress = `${host}:${server.port}`;
  const stopTimer = startSlotTimer(ledger);
  announce(ledger, server, options.json);
  await stopped;
  stopTimer();
  ledger.stop();
  await server.close(CLOSE_DEADLINE_MS);
}

function announce(ledger: Ledger, { port, socketPorts }: RpcServer, json: boolean): void {
  const message = { kind: 'ready', port } as const;
  if (process.send !== undefined) process.send(message);
  else process.stdout.write(json ? `${JSON.stringify(message)}\n` : welcome(ledger, socketPorts));
}

function welcome({ rpcAddress, genesis, slotMs }: Ledger, socketPorts: readonly number[]): string {
  const host = rpcAddress?.replace(/:\d+$/, '');
  const lines = [
    `RPC       http://${rpcAddress}`,
    `WebSocket ${socketPorts.map((port) => `ws://${host}:${port}`).join(', ')}`,
    `Genesis   ${encodeBase58(genesis.hash)}`,
    `Faucet    ${genesis.faucet.address} (requestAirdrop)`,
    `Identity  ${genesis.identity.address}`,
    `${genesis.funded.length} more accounts hold lamports from genesis on; a slot takes ${slotMs} ms. Nothing is kept after the end.`,
  ];
  return `${lines.join('\n')}\n`;
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => resolve());
  });
}

async function runAlone(): Promise<void> {
  try {
    await runLocalnet(parseLocalnetArguments(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    process.stderr.write(`localnet: ${error.message}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) await runAlone();
