import { errorKind, optionProblem } from './genesis-options/option-problem.ts';
import type { LocalnetOptions } from './localnet-options.ts';
import type { KeptLedger } from './open-ledger.ts';
import type { Ledger } from './ledger.ts';
import { signatureOf } from './blocks/transaction-index.ts';
import type { TransactionRecord } from './model.ts';
import { errorText } from './transaction/error-text.ts';
import { isVote } from './validator/is-vote.ts';
import type { HttpServer } from '../server/http/http-server.ts';
import { type ConnectionLimits, Connections } from '../server/connections/connections.ts';
import { fitDescriptors, readDescriptorLimit } from '../server/connections/fit-descriptors.ts';
import { MAX_BODY_BYTES, startNodeServer } from '../server/http/node-server.ts';
import type { ServeCall } from '../core/rpc/call.ts';
import { callMethod } from './call-method.ts';
import { printResult } from './printed-result.ts';
import { type SocketOptions, SocketServer } from './socket/socket-server.ts';

const CLOSE_DEADLINE_MS = 1_000;

/** A served ledger with a running clock. */
export type ServedLedger = {
  readonly server: RpcServer;
  /** Rejects when a slot could not be closed; no slot is closed after that. */
  readonly failed: Promise<never>;
  /** Stops serving and closes the ledger, which must not be used afterwards; rejects when its open slot could not be written. */
  readonly close: () => Promise<void>;
};

export type ServeSettings = {
  readonly sockets?: RpcServerOptions['sockets'];
  /** Prints the transactions of `log`. */
  readonly print?: (text: string) => void;
};

const printToStdout = (text: string): void => void process.stdout.write(text);

/**
 * Serves a ledger and runs its clock.
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

/** An error of the operating system comes from the ledger's folder. */
function slotProblem({ ledger }: LocalnetOptions, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error && ledger !== undefined;
  return isOfSystem
    ? optionProblem(`--ledger: ${ledger} cannot be written (${errorKind(error)})`, error)
    : error;
}

/** Prints each transaction that lands, except votes, with the logs of its programs. */
export function logTransactions(ledger: Ledger, write: (text: string) => void): void {
  ledger.follow({
    landed: (record) => {
      if (!isVote(record.transaction)) write(transactionText(record));
    },
    advanced: () => undefined,
  });
}

/** Returns a transaction as lines: slot, signature, outcome, fee in lamports and compute units, then its logs. */
function transactionText(record: TransactionRecord): string {
  const { err, fee, computeUnitsConsumed, logs } = record.meta;
  const outcome = err === null ? 'ok' : errorText(err);
  const head = `slot ${record.slot}  ${signatureOf(record)}  ${outcome}`;
  const lines = [
    `${head}  (fee ${fee}, ${computeUnitsConsumed} units)`,
    ...logs.map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Number of slots that a stalled process catches up on; a longer stall (such as a sleeping machine) leaves no slots in the chain. */
const MAX_SLOTS_BEHIND = 32;

/**
 * Ticks the ledger at its slot time, without drift, while its clock runs and its slots are closed by time. Returns a function that stops it.
 * `onFailure` is called once when a slot cannot be closed.
 */
export function startSlotTimer(ledger: Ledger, onFailure: (error: unknown) => void): () => void {
  const { clock, pace } = ledger;
  let nextMs = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(run, Math.max(0, nextMs - performance.now()));
  };
  const run = (): void => {
    const nowMs = performance.now();
    if (nowMs - nextMs > MAX_SLOTS_BEHIND * pace.slotMs) nextMs = nowMs;
    try {
      while (nextMs <= nowMs) {
        ledger.tick();
        nextMs += pace.slotMs;
      }
    } catch (error) {
      onFailure(error);
      return;
    }
    wait();
  };
  const begin = (): void => {
    clearTimeout(timer);
    if (clock.isStopped || pace.production !== 'interval') return;
    nextMs = performance.now() + pace.slotMs;
    wait();
  };
  begin();
  const stopListening = pace.onChange(begin);
  return () => {
    stopListening();
    clearTimeout(timer);
  };
}

type RpcServerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly sockets?: Partial<SocketOptions>;
  /** Limits on connections, for tests. */
  readonly connections?: Partial<ConnectionLimits>;
};

/** More than any gateway opens, on all ports and from one address. */
const CONNECTION_LIMITS: ConnectionLimits = { maxConnections: 10_000, maxPerAddress: 5_000 };
/** File descriptors reserved for the ledger itself. */
const RESERVED_DESCRIPTORS = 64;

/** The largest account in hexadecimal digits, and the rest of a call: cheat codes write accounts too large for a transaction. */
const CHEAT_BODY_BYTES = 22 * 1024 * 1024;

/** `socketPorts`: the ports that serve WebSocket. */
export type RpcServer = Omit<HttpServer, 'closeAfterAnswers'> & { readonly socketPorts: readonly number[] };

const MAX_PORT = 65_535;

/**
 * Serves the ledger's JSON-RPC like a validator: on every path, without a key, and `/health`. WebSocket is on the same port and, unless any
 * free port is requested, on the next one too, the default of clients; the last port has no next one.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRpcServer(ledger: Ledger, options: RpcServerOptions): Promise<RpcServer> {
  const { host, port } = options;
  const maxBodyBytes = ledger.cheatCodes ? CHEAT_BODY_BYTES : MAX_BODY_BYTES;
  const sockets = new SocketServer(ledger, { maxMessageBytes: maxBodyBytes, ...options.sockets });
  const serve: ServeCall = async ({ method, params }) => ({
    kind: 'result',
    json: printResult(await callMethod(ledger, method, params)),
  });
  const wanted = { ...CONNECTION_LIMITS, ...options.connections };
  const descriptors = { descriptors: readDescriptorLimit(), reserved: RESERVED_DESCRIPTORS };
  const connections = new Connections(fitDescriptors(wanted, descriptors));
  const listening = {
    host,
    portSetting: '--rpc-port',
    onUpgrade: sockets.upgrade,
    connections,
    maxBodyBytes,
  };
  const servers: HttpServer[] = [];
  const close = async (deadlineMs: number): Promise<void> => {
    const started = performance.now();
    await sockets.close(deadlineMs);
    const leftMs = Math.max(0, deadlineMs - (performance.now() - started));
    await Promise.all(servers.map((server) => server.close(leftMs)));
    connections.close();
  };
  try {
    for (const each of portsFrom(port))
      servers.push(await startNodeServer(serve, { ...listening, port: each }));
  } catch (error) {
    await close(0);
    throw error;
  }
  const socketPorts = servers.map((server) => server.port);
  return { host, port: socketPorts[0] ?? port, socketPorts, close };
}

function portsFrom(port: number): readonly number[] {
  return port > 0 && port < MAX_PORT ? [port, port + 1] : [port];
}
