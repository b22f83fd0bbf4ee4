import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { hardenProcess } from '../../core/process/harden-process.ts';
import { becomeUser } from '../../core/process/system-user.ts';
import { spawnSigner } from './signer-launcher.ts';

// The keeper: started by root in the signer's directory, it becomes the signer's user and starts signers for the gateway, which runs as
// another user and could not. It hands over their sockets and knows nothing else. The gateway decides only when.

process.umask(0o077);
hardenProcess();
process.on('SIGINT', () => undefined);
const [name = '', uid, gid] = process.argv.slice(2);
becomeUser({ name, uid: Number(uid), gid: Number(gid) });

/** The running signer; there is one at a time. */
let living: { readonly id: number; readonly child: ChildProcess } | undefined;

process.on('message', (message: ToKeeper) => {
  if (message.kind === 'launch') launch(message.id);
  else if (living?.id === message.id) living.child.kill('SIGKILL');
});
// The signers exit when the gateway closes its end of their socket.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });

function launch(id: number): void {
  if (living !== undefined) {
    send({ kind: 'failed', id, reason: 'another signer is running' });
    return;
  }
  const child = spawnSigner();
  child.once('error', ({ message: reason }) => {
    if (child.pid === undefined) send({ kind: 'failed', id, reason });
  });
  const { pid } = child;
  if (pid === undefined) return;
  living = { id, child };
  child.once('exit', (code, signal) => {
    living = undefined;
    send({ kind: 'exited', id, code, signal });
  });
  const socket = child.stdio[3];
  if (socket instanceof Socket) send({ kind: 'launched', id, pid }, socket);
}

function send(message: FromKeeper, socket?: Socket): void {
  if (process.connected) process.send?.(message, socket);
}

/** Requests of the gateway to the keeper. `id` names one signer, from 1. */
export type ToKeeper =
  | { readonly kind: 'launch'; readonly id: number }
  | { readonly kind: 'kill'; readonly id: number };

/** Messages of the keeper. `launched` comes with the signer's socket. */
export type FromKeeper =
  | { readonly kind: 'ready' }
  | { readonly kind: 'launched'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
  | {
      readonly kind: 'exited';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
