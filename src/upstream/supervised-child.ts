import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from 'pino';

export type ChildState = 'starting' | 'ready' | 'restarting' | 'stopped';

export type ChildOptions = {
  readonly name: string;
  readonly modulePath: string;
  readonly args: readonly string[];
  /** The port that the child announced with `{kind: 'ready', port}`: called after each start. */
  readonly onReady: (port: number) => void;
  /** Called when the child has died, before it is started again. */
  readonly onDown: () => void;
};

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** A child that served so long starts again at the first backoff. */
const STABLE_AFTER_MS = 30_000;
const STOP_DEADLINE_MS = 3_000;

/**
 * A child process over IPC that is started again whenever it dies, after a pause that doubles from 0.1 s to 5 s. It runs
 * in a process group of its own, so that a Ctrl-C reaches only its parent, and ends when the IPC channel closes.
 */
export class SupervisedChild {
  readonly #options: ChildOptions;
  readonly #log: Logger;
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: ChildState = 'starting';
  #restarts = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #readyAtMs: number | undefined;

  constructor(options: ChildOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  get state(): ChildState {
    return this.#state;
  }

  /** How often it has been started again. */
  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  start(): void {
    const { name, modulePath, args } = this.#options;
    this.#readyAtMs = undefined;
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const child = fork(modulePath, args, { detached: true, env: foreignEnvironment(), stdio: [...stdio] });
    this.#process = child;
    child.on('message', (message) => this.#takeMessage(message));
    child.on('error', (error) => {
      this.#log.error({ err: error, child: name }, 'child process failed');
      if (child.pid === undefined) this.#takeExit(null, null);
    });
    child.once('exit', (code, signal) => this.#takeExit(code, signal));
  }

  /** Closes the IPC channel, waits for the child to leave, and kills it after 3 s; one that is not ready yet at once. */
  async stop(): Promise<void> {
    const isReady = this.#state === 'ready';
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (!isReady) child.kill('SIGKILL');
    else if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
    await exited;
    clearTimeout(timer);
  }

  #takeMessage(message: unknown): void {
    const port = readyPort(message);
    if (port === undefined || this.#state === 'stopped') return;
    this.#state = 'ready';
    this.#readyAtMs = performance.now();
    this.#log.debug({ child: this.#options.name, childPid: this.pid, port }, 'child process is ready');
    this.#options.onReady(port);
  }

  #takeExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#state === 'stopped') return;
    this.#state = 'restarting';
    this.#options.onDown();
    const wasStable = this.#readyAtMs !== undefined && performance.now() - this.#readyAtMs > STABLE_AFTER_MS;
    if (wasStable) this.#backoffMs = FIRST_BACKOFF_MS;
    const backoffMs = this.#backoffMs;
    this.#backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
    this.#log.error(
      { child: this.#options.name, code, signal, backoffMs },
      'child process died; starting it again',
    );
    this.#timer = setTimeout(() => {
      this.#restarts++;
      this.start();
    }, backoffMs);
  }
}

/** The environment without our own settings: secrets among them are none of the child's business. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEYSLOT_')));
}

function readyPort(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (!('kind' in message) || message.kind !== 'ready' || !('port' in message)) return undefined;
  return typeof message.port === 'number' ? message.port : undefined;
}
