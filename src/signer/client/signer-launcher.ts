import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../../base/harden-process.ts';
import { foreignEnvironment, type SupervisedProcess } from '../../base/supervised-child.ts';

/** A signer that was started, and the socket that it is reached over. */
export type LaunchedSigner = { readonly process: SupervisedProcess; readonly link: Promise<Duplex> };

/** How signers are started. */
export type SignerLauncher = {
  /** Where a signer keeps its files, as seen from its own working directory; undefined: where its settings say. */
  readonly directory: string | undefined;
  readonly launch: () => LaunchedSigner;
};

const MODULE = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts signers as children of this process, of its user. */
export function childLauncher(modulePath = MODULE): SignerLauncher {
  return {
    directory: undefined,
    launch: () => {
      const child = spawnSigner(modulePath);
      const { promise: link, resolve } = Promise.withResolvers<Duplex>();
      const socket = child.stdio[3];
      if (socket instanceof Duplex) resolve(socket);
      return { process: child, link };
    },
  };
}

/** In a process group of its own, so that a Ctrl-C reaches only its parent; the socket is its fourth file. */
export function spawnSigner(modulePath = MODULE): ChildProcess {
  const { NODE_OPTIONS: _debugging, ...env } = foreignEnvironment();
  return spawn(process.execPath, [...childOptions([]), modulePath], {
    detached: true,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}
