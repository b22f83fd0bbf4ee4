import { eventually } from '../../../src/core/eventually.ts';
import { freePortPair } from '../../support/free-port-pair.ts';
import { type NodeProcess, startNode } from '../../support/node-process.ts';
import { prepareStore } from '../../support/prepared-store.ts';
import { command, type Commanded } from '../../support/wallet-account.ts';

/** A `keyslot serve` as a process of its own, which is stopped, killed and started again on the same data and the same ports. */
export type Gateway = {
  readonly baseUrl: string;
  /** The JSON-RPC address, without a key. */
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly grpcUrl: string;
  readonly dataDir: string;
  /** Its settings, for commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The stdout of the process that was started last. */
  readonly stdout: () => string;
  /** The stderr of all of its processes. */
  readonly stderr: () => string;
  /** All that its processes have written. */
  readonly written: () => string;
  /** The process that was started last. */
  readonly pid: () => number;
  /** Its end, as text; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** @param root the checkout whose version it is from now on. Default: as before, at first this one. */
  readonly start: (root?: string) => Promise<void>;
  /** Asks it to stop (SIGTERM) and resolves when it has ended. */
  readonly stop: () => Promise<void>;
  /** Ends it at once (SIGKILL), as the system does when memory is short. */
  readonly kill: () => Promise<void>;
  /** Resolves when store, signer and nodes are ready too. */
  readonly isReady: () => Promise<void>;
  /** Gives it a command as the command line does. */
  readonly ask: <T>(request: Commanded) => Promise<T>;
};

export type GatewaySettings = {
  readonly dataDir: string;
  /** Read at each start. */
  readonly env: Readonly<Record<string, string>>;
  /** Settings that `env` may change. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly root?: string | undefined;
  /** True: as it runs for users, where its pace matters. */
  readonly isOptimized?: boolean;
};

/** A start takes seconds, and on a busy machine minutes. */
const START_MS = 300_000;
const PROBE_MS = 2_000;
const COMMAND_MS = 300_000;

/** Prepares a gateway. It is not started yet. */
export async function prepareGateway({
  dataDir,
  env,
  defaults = {},
  args = [],
  root: firstRoot,
  isOptimized = false,
}: GatewaySettings): Promise<Gateway> {
  // WebSocket clients find the port after that of HTTP.
  const [port, grpcPort] = [await freePortPair(), await freePortPair()];
  const own = {
    ...defaults,
    KEYSLOT_DATA_DIR: dataDir,
    KEYSLOT_HTTP_PORT: String(port),
    KEYSLOT_GRPC_PORT: String(grpcPort),
  };
  const address = `127.0.0.1:${port}`;
  let running: NodeProcess | undefined;
  let earlier = { stdout: '', stderr: '' };
  let version = firstRoot;
  const stdout = (): string => running?.stdout() ?? '';
  const stderr = (): string => earlier.stderr + (running?.stderr() ?? '');
  return {
    baseUrl: `http://${address}`,
    rpcUrl: `http://${address}/solana-localnet`,
    wsUrl: `ws://${address}/solana-localnet`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    dataDir,
    env: { ...own, ...env },
    stdout,
    stderr,
    written: () => earlier.stdout + stdout() + stderr(),
    pid: () => running?.pid ?? 0,
    ended: () => running?.ended(),
    start: async (root = version) => {
      if (env.KEYSLOT_DATABASE_URL === undefined) prepareStore(dataDir);
      earlier = { stdout: earlier.stdout + stdout(), stderr: stderr() };
      version = root;
      const started = startNode(
        ['src/main.ts', 'serve', '--json', ...args],
        { ...own, ...env },
        { root, isOptimized },
      );
      running = started;
      const isServing = (): true | undefined => {
        if (started.ended() !== undefined)
          throw new Error(`ended with ${started.ended()}: ${started.stderr()}`);
        return started.stdout().includes('\n') || undefined;
      };
      await eventually('the gateway serves', isServing, { timeoutMs: START_MS });
    },
    stop: async () => running?.stop(),
    kill: async () => {
      if (running === undefined || running.ended() !== undefined) return;
      process.kill(running.pid, 'SIGKILL');
      await eventually('the killed gateway has ended', running.ended);
    },
    isReady: async () =>
      void (await eventually('the gateway is ready', () => isOk(`http://${address}/readyz`), {
        timeoutMs: START_MS,
      })),
    ask: async <T>(request: Commanded) => {
      if (version === undefined || version === process.cwd() || 'kind' in request)
        return (await command(dataDir, request)) as T;
      // Commands of another version call other operations.
      const {
        end,
        stdout: printed,
        stderr: said,
      } = await runCommand([...request, '--json', ...args], { ...own, ...env }, version);
      if (end !== 'exit code 0') throw new Error(`keyslot ${request.join(' ')}: ${end}\n${said}${printed}`);
      return JSON.parse(printed) as T;
    },
  };
}

/** Looks whether an address is answered with 2xx. */
export async function isOk(url: string): Promise<true | undefined> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.ok || undefined;
}

export type CommandResult = { readonly end: string; readonly stdout: string; readonly stderr: string };

/** Runs a command to its end. @param root the checkout of another version. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  root?: string,
): Promise<CommandResult> {
  const running = startNode(['src/main.ts', ...args], env, { root });
  const end = await eventually(`keyslot ${args[0]} ends`, () => running.ended(), { timeoutMs: COMMAND_MS });
  return { end, stdout: running.stdout(), stderr: running.stderr() };
}
