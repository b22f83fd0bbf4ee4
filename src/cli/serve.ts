import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Config } from '../../generated/config.ts';
import { keepMemoryOutOfDumps } from '../core/process/harden-process.ts';
import { loadConfig } from '../core/config/load-config.ts';
import { startApp } from '../serve/app.ts';
import type { Terminal } from '../core/terminal.ts';
import type { ServedApp } from '../serve/served-app.ts';
import { enterGatewayUser } from '../serve/start-users.ts';
import { followConfigFile, type ServeStart } from './serve-as-worker.ts';
import { type OptionValues, textsOf } from './read-arguments.ts';
import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../generated/account/operations.ts';
import { OPERATIONS } from '../../generated/wallets/operations.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;

type Running = {
  readonly served: ServedApp;
  /** Follows the configuration file. @returns a function that stops that. */
  readonly follow: (file: string) => () => void;
  readonly close: () => Promise<void>;
};

const CHECKED = 'The configuration is valid; ports, store and other services were not tried.\n';

/**
 * `keyslot serve --check`: checks what a start would, starts nothing, and prints every reason for which the start would be refused.
 *
 * @returns the exit code: 0, or 2 if there is one.
 * @throws ServiceError `invalidConfig` with all mistakes of the settings.
 */
export async function checkServe(
  options: OptionValues,
  { env, writeOut, writeError }: Terminal,
): Promise<number> {
  keepMemoryOutOfDumps();
  const { config: file, ...cli } = textsOf(options);
  const { checkStart } = await import('../serve/check-start.ts');
  const found = await checkStart(loadConfig({ file, env, cli }));
  for (const { message } of found) writeError(`keyslot: ${message}\n`);
  if (found.length > 0) return 2;
  writeOut(CHECKED);
  return 0;
}

/**
 * `keyslot serve`: runs until SIGTERM or SIGINT, then stops in order; a second signal ends the process at once.
 *
 * @throws ServiceError with the reason why the server cannot start.
 */
export async function serve(options: OptionValues, env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(PRIVATE);
  const { config: file, ...cli } = textsOf(options);
  const load = () => loadConfig({ file, env, cli });
  const leavesNoMemory = keepMemoryOutOfDumps();
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve-as-worker.ts');
    return serveAsWorker({ file, load, createLog });
  }
  const config = load();
  const launcher = await enterGatewayUser(config, 'serve');
  const log = createLog(config);
  if (!leavesNoMemory)
    log.warn(
      'core dumps of this process may hold secrets on this system: start the server with `ulimit -c 0`',
    );
  const start = { config, file, load, log };
  const { served, follow, close } = await (config.workers === 1 ? startOne : startSeveral)(start, launcher);
  // Before the addresses are printed, because their reader may send a signal at once.
  const signalled = nextSignal();
  process.stdout.write(
    options.json === true
      ? `${describeAsJson(served)}\n`
      : describeServed(served, resolve(config.data_dir), file),
  );
  const stopFollowing = file === undefined ? () => undefined : follow(file);
  const signal = await signalled;
  stopFollowing();
  onProgress(`${signal}: finishing requests, then stopping`);
  void nextSignal().then(() => process.exit(130));
  await close();
}

type Launcher = Awaited<ReturnType<typeof enterGatewayUser>>;

async function startOne({ config, file, load, log }: ServeStart, launcher: Launcher): Promise<Running> {
  const app = await startApp(config, log, { isOperated: file !== undefined, onProgress, launcher });
  return {
    served: app,
    follow: (path) => followConfigFile({ file: path, load, apply: app.reconfigure, log }),
    close: app.close,
  };
}

async function startSeveral({ config, log }: ServeStart, launcher: Launcher): Promise<Running> {
  const { startWorkers } = await import('../serve/workers/start-workers.ts');
  const { served, reload, close } = await startWorkers(config, log, { onProgress, launcher });
  return {
    served,
    // Each worker watches the file itself.
    follow: () => {
      process.on('SIGHUP', reload);
      return () => void process.off('SIGHUP', reload);
    },
    close,
  };
}

function createLog({ log_level: level }: Config): Logger {
  return pino({ level }, pino.destination({ dest: 2, sync: true }));
}

function onProgress(step: string): void {
  process.stderr.write(`keyslot: ${step}\n`);
}

/** Resolves with the next SIGTERM or SIGINT. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    const take = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', take).off('SIGINT', take);
      done(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}

/** Describes a running server as one line of JSON. */
function describeAsJson({ address, rpcPaths, hasLedger, development }: ServedApp): string {
  const kind = hasLedger ? 'ready' : 'serving';
  const walletsPath = OPERATIONS.createWallet.path;
  const served = {
    base_url: address.baseUrl,
    ws_url: address.wsUrl,
    grpc_url: address.grpcUrl,
    metrics_url: address.metricsUrl,
    rpc_paths: rpcPaths,
    wallets_path: walletsPath,
  };
  return JSON.stringify({ kind, ...served, development });
}

/** Describes a running server for people: its addresses, and commands to try. */
function describeServed(app: ServedApp, dataDir: string, file: string | undefined): string {
  const { address, rpcPaths, hasLedger, development } = app;
  const { baseUrl, wsUrl, grpcUrl, metricsUrl } = address;
  const key = development?.api_key ?? '<API_KEY>';
  const urls = rpcPaths.map((path) => `${baseUrl}${path}?apikey=${key}`);
  const sockets = rpcPaths.map((path) => `${wsUrl}${path}?apikey=${key}`);
  const token = development?.access_token ?? '<ACCESS_TOKEN>';
  const call = `'{"jsonrpc":"2.0","id":1,"method":"getSlot"}'`;
  const wallets = `${baseUrl}${OPERATIONS.createWallet.path}`;
  return `
${hasLedger ? 'Keyslot is ready.' : 'Keyslot is running, but its ledger has not started: calls return 503 until it does (see above).'}

${urls.map((url) => `  JSON-RPC   ${url}\n`).join('')}${sockets.map((url) => `  WebSocket  ${url}\n`).join('')}  Wallets    ${wallets}
  Account    ${baseUrl}${ACCOUNT_OPERATIONS.listKeys.path}
  Streams    ${grpcUrl} (gRPC; ${baseUrl}/stream.proto)
  Dashboard  ${baseUrl}/dashboard${signInHint(app, file)}
  Reference  ${baseUrl}/docs
  OpenRPC    ${baseUrl}/openrpc.json
  Ready      ${baseUrl}/readyz
  Metrics    ${metricsUrl}
  Data       ${dataDir}${development === undefined ? '' : ' (dev.json has these addresses, the key and the token)'}

Try it:
  curl -s '${urls[0] ?? baseUrl}' -H 'Content-Type: application/json' -d ${call}
  curl -s '${wallets}' -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"custody":"managed"}'

`;
}

function signInHint({ development, hasMembers }: ServedApp, file: string | undefined): string {
  if (development !== undefined) {
    const { dashboard_email: email, dashboard_password: password } = development;
    return `   sign in as ${email} (${password === undefined ? 'with the password that you set there' : 'password in dev.json'})`;
  }
  if (hasMembers) return '';
  return `   no members yet; create the first: keyslot setup-link ACCOUNT${file === undefined ? '' : ` --config ${file}`}`;
}
