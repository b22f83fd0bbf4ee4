import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../../core/process/harden-process.ts';
import { programUrl } from '../../core/program.ts';
import { serviceError } from '../../core/service-error.ts';
import { foreignEnvironment, type SupervisedProcess } from '../../core/process/supervised-child.ts';
import type { SystemUser } from '../../core/process/system-user.ts';
import type { FromKeeper, ToKeeper } from './keeper.ts';
import type { SignerLauncher } from './signer-launcher.ts';

const MODULE = fileURLToPath(programUrl(new URL('./keeper.ts', import.meta.url)));

/**
 * Starts the keeper in the signer's directory. Root enters it, since the data directory around it belongs to the gateway alone, and the
 * signers stay in it. Call it as root, before this process changes its user.
 *
 * Loads nothing that another user may write: neither options nor compiled code named by the environment.
 *
 * @throws ServiceError `signerNotStarted` if it cannot change to the user.
 */
export async function startSignerKeeper(directory: string, user: SystemUser): Promise<SignerLauncher> {
  const { NODE_OPTIONS: _options, NODE_COMPILE_CACHE: _compiled, ...env } = foreignEnvironment();
  const keeper = fork(MODULE, [user.name, String(user.uid), String(user.gid)], {
    cwd: directory,
    env,
    execArgv: childOptions([]),
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = once(keeper, 'message').then(() => true);
  const ended = once(keeper, 'exit').then(() => false);
  const isReady = await Promise.race([ready, ended]).catch(() => false);
  if (!isReady)
    throw serviceError('signerNotStarted', {
      reason: `its keeper could not switch to the user ${user.name}`,
    });
  return openKeeper(keeper);
}

function openKeeper(keeper: ChildProcess): SignerLauncher {
  let last: { readonly id: number; readonly signer: KeptSigner } | undefined;
  keeper.on('message', (message: FromKeeper, handle: unknown) => {
    if (message.kind === 'ready' || message.id !== last?.id) {
      if (handle instanceof Socket) handle.destroy();
      return;
    }
    last.signer.take(message, handle);
  });
  keeper.once('exit', () => last?.signer.lose());
  // It ends with this process, and must not keep this process alive, nor must its channel.
  keeper.unref();
  keeper.channel?.unref();
  const send = (message: ToKeeper): boolean => keeper.connected && keeper.send(message);
  return {
    directory: '.',
    launch: () => {
      const id = (last?.id ?? 0) + 1;
      const signer = new KeptSigner(() => void send({ kind: 'kill', id }));
      last = { id, signer };
      if (!send({ kind: 'launch', id })) process.nextTick(() => signer.lose());
      return { process: signer, link: signer.link };
    },
  };
}

/** A signer that is the keeper's child, presented as a child of this process. */
class KeptSigner extends EventEmitter implements SupervisedProcess {
  readonly link: Promise<Duplex>;
  readonly #linked = Promise.withResolvers<Duplex>();
  readonly #kill: () => void;
  #socket: Socket | undefined;
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(kill: () => void) {
    super();
    this.#kill = kill;
    this.link = this.#linked.promise;
  }

  kill(): boolean {
    this.#kill();
    return true;
  }

  take(message: Exclude<FromKeeper, { kind: 'ready' }>, handle: unknown): void {
    if (message.kind === 'launched' && handle instanceof Socket) {
      this.pid = message.pid;
      this.#socket = handle;
      this.#linked.resolve(handle);
    } else if (message.kind === 'failed') {
      this.emit('error', new Error(message.reason));
    } else if (message.kind === 'exited') {
      this.#end(message.code, message.signal);
    }
  }

  /** The keeper is gone: drops its signer, which cannot be restarted. */
  lose(): void {
    this.#socket?.destroy();
    if (this.pid === undefined) this.emit('error', new Error('its keeper has exited: restart the server'));
    else if (this.exitCode === null && this.signalCode === null) this.#end(null, 'SIGHUP');
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    this.exitCode = code;
    this.signalCode = signal;
    this.emit('exit', code, signal);
  }
}
