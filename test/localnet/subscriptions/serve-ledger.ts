import { onTestFinished } from 'vitest';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { startRpcServer } from '../../../src/localnet/serve-ledger.ts';
import type { SocketOptions } from '../../../src/localnet/socket/socket-server.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';
import { LedgerSocket } from './ledger-socket.ts';

export type ServedLedger = TestLedger & {
  readonly url: string;
  /** A new connection; closed with the test. */
  readonly connect: () => Promise<LedgerSocket>;
};

/** A ledger whose clock stands still, on a free port for the time of the test. New subscriptions are told without delay. */
export async function serveLedger(
  sockets: Partial<SocketOptions> = {},
  options: Partial<LedgerOptions> = {},
): Promise<ServedLedger> {
  const run = newLedger(options);
  const server = await startRpcServer(run.ledger, {
    host: '127.0.0.1',
    port: 0,
    sockets: { settleMs: 0, ...sockets },
  });
  onTestFinished(() => server.close(1_000));
  const url = `ws://127.0.0.1:${server.port}/`;
  return { ...run, url, connect: () => LedgerSocket.open(url) };
}
