import type { ChildProcess } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';

export type ChildState = 'starting' | 'ready' | 'restarting' | 'stopped';

/** A supervised child process, or anything that behaves like one. */
export type SupervisedProcess = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'> & EventEmitter;

export type ChildOptions<Ready> = {
  readonly name: string;
  /** Starts the process and arranges for `announce` to be called when it is ready. */
  readonly launch: (announce: (ready: Ready) => void) => SupervisedProcess;
  /** Asks a ready process to exit. */
  readonly leave: () => void;
  /** Called after each start, when the child is ready. */
  readonly onReady: (ready: Ready) => void;
  /** Called when the child has died, before it is restarted. */
  readonly onDown: () => void;
  /** Milliseconds that a ready process has to exit when asked to. Default 3,000. */
  readonly stopDeadlineMs?: number;
};

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** A child that has been ready for this long restarts at the first backoff. */
const STABLE_AFTER_MS = 30_000;
const STOP_DEADLINE_MS = 3_000;

/** A child process that is restarted whenever it dies, after a pause that doubles from 0.1 s to 5 s. */
export class SupervisedChild<Ready> {
  readonly #options: ChildOptions<Ready>;
  readonly #log: Logger;
  #process: SupervisedProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: ChildState = 'starting';
  #restarts = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #readyAtMs: number | undefined;

  constructor(options: ChildOptions<Ready>, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  get state(): ChildState {
    return this.#state;
  }

  /** The number of restarts so far. */
  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  start(): void {
    this.#readyAtMs = undefined;
    const child = this.#options.launch((ready) => this.#takeReady(child, ready));
    this.#process = child;
    child.on('error', (error) => {
      this.#log.error({ err: error, child: this.#options.name }, 'child process failed');
      if (child.pid === undefined) this.#takeExit(null, null);
    });
    child.once('exit', (code, signal) => this.#takeExit(code, signal));
  }

  /** Asks the child to exit, waits for it, and kills it after its deadline; kills a child that is not ready yet at once. */
  async stop(): Promise<void> {
    const isReady = this.#state === 'ready';
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (isReady) this.#options.leave();
    else child.kill('SIGKILL');
    const { stopDeadlineMs = STOP_DEADLINE_MS } = this.#options;
    const timer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    await exited;
    clearTimeout(timer);
  }

  /** Kills a child that has stopped responding; it is restarted as if it had died. */
  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  #takeReady(child: SupervisedProcess, ready: Ready): void {
    if (this.#state === 'stopped' || child !== this.#process) return;
    this.#state = 'ready';
    this.#readyAtMs = performance.now();
    this.#log.debug({ child: this.#options.name, childPid: this.pid }, 'child process is ready');
    this.#options.onReady(ready);
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #takeExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#state === 'stopped') return;
    this.#state = 'restarting';
    this.#options.onDown();
    if (this.#isStopped()) return;
    const wasStable = this.#readyAtMs !== undefined && performance.now() - this.#readyAtMs > STABLE_AFTER_MS;
    if (wasStable) this.#backoffMs = FIRST_BACKOFF_MS;
    const backoffMs = this.#backoffMs;
    this.#backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
    this.#log.error(
      { child: this.#options.name, code, signal, backoffMs },
      'child process died; restarting it',
    );
    this.#timer = setTimeout(() => {
      this.#restarts++;
      this.start();
    }, backoffMs);
  }
}

/** Returns the environment without Keyslot's own settings, so that no child sees the secrets among them. */
export function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEYSLOT_')));
}
