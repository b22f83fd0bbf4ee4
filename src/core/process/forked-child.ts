import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from 'pino';
import { childOptions } from './harden-process.ts';
import { foreignEnvironment, SupervisedChild } from './supervised-child.ts';

export type ForkOptions = {
  readonly name: string;
  readonly modulePath: string;
  readonly args: readonly string[];
  /** Called after each start with the port that the child announced as `{kind: 'ready', port}`. */
  readonly onReady: (port: number) => void;
  /** Called when the child has died, before it is restarted. */
  readonly onDown: () => void;
};

/**
 * Creates a supervised child module that communicates over IPC, without starting it. The child runs in its own process group, so that
 * Ctrl-C reaches only the parent, and it exits when the IPC channel closes.
 */
export function forkedChild(options: ForkOptions, log: Logger): SupervisedChild<number> {
  const { name, modulePath, args, onReady, onDown } = options;
  let latest: ChildProcess | undefined;
  return new SupervisedChild<number>(
    {
      name,
      launch: (announce) => {
        const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
        const child = fork(modulePath, args, {
          detached: true,
          env: foreignEnvironment(),
          execArgv: childOptions(),
          stdio: [...stdio],
        });
        latest = child;
        child.on('message', (message) => {
          const port = readyPort(message);
          if (port !== undefined) announce(port);
        });
        return child;
      },
      leave: () => {
        if (latest?.connected === true) latest.disconnect();
      },
      onReady,
      onDown,
    },
    log,
  );
}

function readyPort(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (!('kind' in message) || message.kind !== 'ready' || !('port' in message)) return undefined;
  return typeof message.port === 'number' ? message.port : undefined;
}
