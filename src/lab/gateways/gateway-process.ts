import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { askAdmin } from '../../admin/ask-admin.ts';
import { eventually } from '../../base/eventually.ts';
import { childOptions } from '../../base/harden-process.ts';
import { foreignEnvironment } from '../../base/supervised-child.ts';
import { type CutProxy, type CutProxyTarget, startCutProxy } from '../faults/cut-proxy.ts';
import type { LabGateway } from './lab-gateway.ts';

/** A gateway of the lab, and what can be done to it. */
export type GatewayProcess = LabGateway & {
  readonly pid: () => number;
  readonly proxies: readonly CutProxy[];
  /** Something of its own keeps it from answering from now on, or no more. */
  readonly disturb: (isDisturbed: boolean) => void;
  /** Nobody sends it anything new from now on; what it has is still expected to be answered. */
  readonly retire: () => void;
  /** Resolves when it says that it is not ready, as a load balancer sees it. */
  readonly announcesStop: () => Promise<void>;
  /** Starts it, as often as it takes; resolves when it serves. */
  readonly start: () => Promise<void>;
  /** Sends a signal and resolves when it has ended. */
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  /** Resolves when it answers. */
  readonly answers: () => Promise<void>;
  /** Resolves when store, signer and nodes are ready too. */
  readonly isReady: () => Promise<void>;
  /** Gives it a command of the operator. */
  readonly ask: <T>(request: { readonly kind: string; readonly [member: string]: unknown }) => Promise<T>;
  readonly close: () => Promise<void>;
};

export type GatewayFiles = {
  readonly name: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly logFile: string;
  /** Of the network that it serves. */
  readonly rpcPath: string;
  /** Its way to the store, if that is not its own. */
  readonly toStore: CutProxy | undefined;
};

/** `main.ts`, and `main.js` in a package. */
const MAIN = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`);
const LAST_LINES = 8;
/** A start takes seconds, and on a busy machine minutes. */
const START_MS = 300_000;
const AGAIN_MS = 500;
const PROBE_MS = 2_000;
/** `shutdown_deadline_ms` is at most so long by default. */
const STOP_MS = 60_000;

/** Prepares a gateway behind proxies of its own. It is not started yet. */
export async function prepareGateway({
  name,
  configFile,
  dataDir,
  logFile,
  rpcPath,
  toStore,
}: GatewayFiles): Promise<GatewayProcess> {
  const [http, grpc]: readonly [CutProxyTarget, CutProxyTarget] = [{ port: 0 }, { port: 0 }];
  const proxies = [await startCutProxy(http), await startCutProxy(grpc)] as const;
  const address = `127.0.0.1:${proxies[0].port}`;
  const baseUrl = `http://${address}`;
  let child: ChildProcess | undefined;
  let [life, disturbances, isDisturbed, mendedMs] = [0, 0, true, 0];

  const disturb = (is: boolean): void => {
    isDisturbed = is;
    disturbances++;
    if (!is) mendedMs = performance.now();
  };
  const retire = (): void => {
    isDisturbed = true;
  };
  const hearsSinceMs = (): number | undefined => {
    const storeMs = toStore === undefined ? mendedMs : toStore.soundSinceMs();
    return isDisturbed || storeMs === undefined ? undefined : Math.max(mendedMs, storeMs);
  };
  const launch = async (): Promise<boolean> => {
    const launched = spawn(
      process.execPath,
      [...childOptions(), MAIN, 'serve', '--json', '--config', configFile],
      {
        env: foreignEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child = launched;
    launched.stderr?.pipe(createWriteStream(logFile, { flags: 'a', mode: 0o600 }));
    const killWithLab = (): boolean => launched.kill('SIGKILL');
    process.once('exit', killWithLab);
    launched.once('close', () => process.off('exit', killWithLab));
    let line = '';
    launched.stdout?.setEncoding('utf8').on('data', (text: string) => {
      line += text;
    });
    const hasStarted = await eventually(
      `${name} serves`,
      () => (hasEnded(launched) ? false : line.includes('\n') || undefined),
      { timeoutMs: START_MS },
    ).catch((error: unknown) => {
      throw new Error(`${name} does not start; it says last: ${lastLines(logFile)}`, { cause: error });
    });
    if (!hasStarted) return false;
    const ready = JSON.parse(line) as { readonly base_url: string; readonly grpc_url: string };
    http.port = Number(new URL(ready.base_url).port);
    grpc.port = Number(new URL(ready.grpc_url).port);
    life++;
    return true;
  };
  const probe = async (path: string): Promise<true | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
      signal: AbortSignal.timeout(PROBE_MS),
    }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.ok || undefined;
  };
  const answers = async (): Promise<void> =>
    void (await eventually(`${name} answers`, () => probe('/healthz'), { timeoutMs: START_MS }));
  const announcesStop = async (): Promise<void> =>
    void (await eventually(`${name} stops`, async () => ((await probe('/readyz')) ? undefined : true), {
      timeoutMs: STOP_MS,
    }));
  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const killer = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(killer);
  };
  return {
    ...{ name, proxies, disturb, retire, announcesStop, stop, answers, baseUrl, hearsSinceMs },
    rpcUrl: `${baseUrl}${rpcPath}`,
    wsUrl: `ws://${address}${rpcPath}`,
    grpcUrl: `http://127.0.0.1:${proxies[1].port}`,
    isServing: () => !isDisturbed,
    disturbances: () => disturbances,
    life: () => life,
    pid: () => child?.pid ?? 0,
    start: async () => {
      const untilMs = performance.now() + START_MS;
      while (!(await launch())) {
        if (performance.now() > untilMs)
          throw new Error(`${name} does not start; it says last: ${lastLines(logFile)}`);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      await answers();
    },
    isReady: async () =>
      void (await eventually(`${name} is ready`, () => probe('/readyz'), { timeoutMs: START_MS })),
    ask: async <T>(request: { readonly kind: string }) => {
      const answer = await askAdmin(dataDir, request);
      if (answer === undefined) throw new Error(`${name} takes no commands`);
      return answer.result as T;
    },
    close: async () => {
      await stop('SIGKILL');
      for (const proxy of proxies) await proxy.close();
    },
  };
}

/** Logs hold no secrets. */
function lastLines(path: string): string {
  return readFileSync(path, 'utf8').split('\n').slice(-LAST_LINES).join('\n');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
