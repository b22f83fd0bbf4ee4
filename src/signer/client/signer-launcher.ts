import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../../core/process/harden-process.ts';
import { programUrl } from '../../core/program.ts';
import { foreignEnvironment, type SupervisedProcess } from '../../core/process/supervised-child.ts';

/** A started signer, and the socket to it. */
export type LaunchedSigner = { readonly process: SupervisedProcess; readonly link: Promise<Duplex> };

/** Starts signers. */
export type SignerLauncher = {
  /** Directory of a signer's files, relative to its own working directory; undefined: the one in its settings. */
  readonly directory: string | undefined;
  readonly launch: () => LaunchedSigner;
};

const MODULE = fileURLToPath(programUrl(new URL('../main.ts', import.meta.url)));

/** Starts signers as children of this process, with the same user. */
export function childLauncher(modulePath = MODULE): SignerLauncher {
  return {
    directory: undefined,
    launch: () => {
      const child = spawnSigner(modulePath);
      const { promise: link, resolve } = Promise.withResolvers<Duplex>();
      // Undefined when no process could be created, for want of file descriptors.
      const socket = child.stdio?.[3];
      if (socket instanceof Duplex) resolve(socket);
      return { process: child, link };
    },
  };
}

/** Spawns it in a process group of its own, so that a Ctrl-C reaches only its parent; the socket is its fourth file descriptor. */
export function spawnSigner(modulePath = MODULE): ChildProcess {
  const { NODE_OPTIONS: _debugging, ...env } = foreignEnvironment();
  return spawn(process.execPath, [...childOptions([]), modulePath], {
    detached: true,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}
