import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** What stands between a gateway and a ledger, to be lost at will. */
export type Relay = {
  readonly port: number;
  /** Breaks all connections off. */
  readonly drop: () => Promise<void>;
  /** Kills the process, and starts another one on the same port. */
  readonly replace: () => Promise<void>;
  readonly stop: () => void;
};

/** Starts a relay to a port of loopback. */
export async function startRelay(ledgerPort: number): Promise<Relay> {
  let { child, port } = await launch(0, ledgerPort);
  return {
    port,
    drop: async () => {
      const dropped = once(child, 'message');
      child.send('drop');
      await dropped;
    },
    replace: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      ({ child, port } = await launch(port, ledgerPort));
    },
    stop: () => {
      child.kill('SIGKILL');
    },
  };
}

async function launch(
  port: number,
  ledgerPort: number,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(new URL('relay-process.ts', import.meta.url), [String(port), String(ledgerPort)]);
  const [message] = (await once(child, 'message')) as [{ readonly address: AddressInfo }];
  return { child, port: message.address.port };
}
