import { realpathSync } from 'node:fs';
import { IGNORED_FLAGS } from '../../generated/ledger/test-validator-flags.ts';
import { hardenProcess } from '../core/process/harden-process.ts';
import { ServiceError } from '../core/service-error.ts';
import { encodeBase58 } from './bytes/base58.ts';
import type { Fork } from './fork/fork.ts';
import type { GivenFork } from './fork/open-fork.ts';
import type { Ledger } from './ledger.ts';
import { type LocalnetOptions, parseLocalnetArguments, readLocalnetOptions } from './localnet-options.ts';
import { type KeptLedger, openLedger } from './open-ledger.ts';
import { serveLedger, type RpcServer } from './serve-ledger.ts';
import { StatusLine } from './status-line.ts';

export { readLocalnetOptions };

/** The width of a terminal that does not report its own. */
const USUAL_COLUMNS = 80;

/**
 * Runs the embedded ledger until SIGTERM or SIGINT, or until its parent process closes the IPC channel. It sends `{kind: 'ready', port}` to
 * a parent, or prints its address.
 *
 * @throws ServiceError portTaken, listenFailed; invalidConfig naming the file or account that the ledger cannot start with, or a folder
 *   that it cannot be kept in; dataDirectoryLocked naming the process that has the folder.
 */
export async function runLocalnet(options: LocalnetOptions): Promise<void> {
  hardenProcess();
  const stopped = untilStopped();
  const kept = await openUnlessStopped(options, stopped);
  if (kept === undefined) return;
  const ignored = ignoredFlags(options);
  if (ignored !== '') process.stderr.write(`localnet: accepted without effect: ${ignored}\n`);
  const status = hasStatusLine(options) ? statusLine(kept.ledger) : undefined;
  const { server, failed, close } = await serveLedger(
    kept,
    options,
    status === undefined ? {} : { print: status.print },
  );
  announce(kept.ledger, server, options);
  status?.start();
  try {
    await Promise.race([stopped, failed]);
  } finally {
    status?.stop();
    await close();
  }
}

/** The test validator flags that were given and have no effect, each with the reason; empty in quiet mode. */
function ignoredFlags({ given, quiet }: LocalnetOptions): string {
  if (quiet) return '';
  return Object.entries(IGNORED_FLAGS)
    .flatMap(([flag, { ignored }]) => (given.has(flag.slice(2)) ? [`${flag} (${ignored})`] : []))
    .join(', ');
}

/** Files and pipes get no line that is overwritten later. */
function hasStatusLine({ quiet, json }: LocalnetOptions): boolean {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  return isTerminal && !quiet && !json && process.send === undefined;
}

function statusLine(ledger: Ledger): StatusLine {
  const { stdout } = process;
  return new StatusLine(ledger, {
    write: (text) => void stdout.write(text),
    columns: () => stdout.columns || USUAL_COLUMNS,
  });
}

/** A child waits for its folder: the previous server may still be stopping. Undefined: it was stopped meanwhile. */
async function openUnlessStopped(
  options: LocalnetOptions,
  stopped: Promise<void>,
): Promise<KeptLedger | undefined> {
  if (process.send === undefined) return await openLedger(options);
  const waiting = new AbortController();
  void stopped.then(() => waiting.abort());
  try {
    return await openLedger(options, waiting.signal);
  } catch (error) {
    if (waiting.signal.aborted) return undefined;
    throw error;
  }
}

function announce(ledger: Ledger, { port, socketPorts }: RpcServer, options: LocalnetOptions): void {
  const { json, quiet } = options;
  const message = { kind: 'ready', port } as const;
  if (process.send !== undefined) process.send(message);
  else if (json || !quiet)
    process.stdout.write(json ? `${JSON.stringify(message)}\n` : welcome(ledger, socketPorts, options));
}

function welcome(ledger: Ledger, socketPorts: readonly number[], options: LocalnetOptions): string {
  const { ledger: folder, forkOf } = options;
  const { rpcAddress, genesis, pace } = ledger;
  const host = rpcAddress?.replace(/:\d+$/, '');
  const lines = [
    `RPC       http://${rpcAddress}`,
    `WebSocket ${socketPorts.map((port) => `ws://${host}:${port}`).join(', ')}`,
    `Genesis   ${encodeBase58(genesis.hash)}`,
    ...(ledger.fork === undefined ? [] : [`Fork      ${forkText(ledger.fork, forkOf)}`]),
    `Faucet    ${genesis.faucet.address} (requestAirdrop)`,
    `Identity  ${genesis.identity.address}`,
    `A slot takes ${pace.slotMs} ms.`,
    folder === undefined
      ? 'The ledger is in memory and is lost on exit.'
      : `The ledger is stored in ${folder}, now at slot ${ledger.blocks.openSlot}.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Never shows the node's address, which may contain a key. */
function forkText({ origin }: Fork, { url, cassette }: GivenFork): string {
  const of = `of slot ${origin.slot} of the network with the genesis hash ${origin.genesisHash}`;
  if (cassette === undefined) return of;
  return `${of}, ${url === undefined ? 'from' : 'recorded in'} ${cassette}`;
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

/** As import.meta.main says it in Node 24. */
const isMain = process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename;
if (isMain) await runAlone();
