import { errorKind, optionProblem } from './genesis-options/option-problem.ts';
import type { LocalnetOptions } from './localnet-options.ts';
import type { KeptLedger } from './open-ledger.ts';
import { type RpcServer, type RpcServerOptions, startRpcServer } from './server.ts';
import { startSlotTimer } from './slot-timer.ts';
import { logTransactions } from './transaction-log.ts';

const CLOSE_DEADLINE_MS = 1_000;

/** A ledger that is served and whose slots pass. */
export type ServedLedger = {
  readonly server: RpcServer;
  /** Rejects when a slot could not be closed; no slot passes after that. */
  readonly failed: Promise<never>;
  /** Ends the serving and closes the ledger, which must not be used afterwards; rejects when its open slot could not be written. */
  readonly close: () => Promise<void>;
};

export type ServeSettings = {
  readonly sockets?: RpcServerOptions['sockets'];
  /** Where the transactions of `log` are printed. */
  readonly print?: (text: string) => void;
};

const printToStdout = (text: string): void => void process.stdout.write(text);

/**
 * Serves a ledger and lets its slots pass.
 *
 * @throws ServiceError portTaken, listenFailed; the ledger is released then.
 */
export async function serveLedger(
  kept: KeptLedger,
  options: LocalnetOptions,
  { sockets = {}, print = printToStdout }: ServeSettings = {},
): Promise<ServedLedger> {
  const { ledger } = kept;
  if (options.log) logTransactions(ledger, print);
  const server = await listen(kept, { host: options.host, port: options.rpcPort, sockets });
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  ledger.rpcAddress = `${host}:${server.port}`;
  const failed = Promise.withResolvers<never>();
  let hasFailed = false;
  const fail = (error: unknown): void => {
    hasFailed = true;
    failed.reject(slotProblem(options, error));
  };
  const stopTimer = startSlotTimer(ledger, fail);
  void kept.failed.then(fail);
  const close = async (): Promise<void> => {
    stopTimer();
    ledger.isStopped = true;
    await server.close(CLOSE_DEADLINE_MS);
    try {
      await (hasFailed ? kept.release() : kept.close());
    } catch (error) {
      throw slotProblem(options, error);
    }
  };
  return { server, failed: failed.promise, close };
}

async function listen(kept: KeptLedger, options: RpcServerOptions): Promise<RpcServer> {
  try {
    return await startRpcServer(kept.ledger, options);
  } catch (error) {
    await kept.release();
    throw error;
  }
}

/** An error of the operating system is that of the ledger's folder. */
function slotProblem({ ledger }: LocalnetOptions, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error && ledger !== undefined;
  return isOfSystem
    ? optionProblem(`--ledger: ${ledger} cannot be written (${errorKind(error)})`, error)
    : error;
}
