import { resolve } from 'node:path';
import { pino } from 'pino';
import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../generated/account/operations.ts';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import { type App, startApp } from '../start/app.ts';
import { loadConfig } from '../config/load-config.ts';
import { keepMemoryOutOfDumps } from '../base/harden-process.ts';
import { enterGatewayUser } from '../start/start-users.ts';
import type { OptionValues } from './read-arguments.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;

/**
 * `keyslot serve`: runs until SIGTERM or SIGINT, then stops in order; a second signal ends the process at once.
 *
 * @throws ServiceError with the reason why the server cannot start.
 */
export async function serve(options: OptionValues, env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(PRIVATE);
  const texts = Object.entries(options).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const file = typeof options.config === 'string' ? options.config : undefined;
  const config = loadConfig({ file, env, cli: Object.fromEntries(texts) });
  const leavesNoMemory = keepMemoryOutOfDumps();
  const launcher = await enterGatewayUser(config, 'serve');
  const log = pino({ level: config.log_level }, pino.destination({ dest: 2, sync: true }));
  if (!leavesNoMemory)
    log.warn(
      'core dumps of this process may hold secrets on this system: start the server with `ulimit -c 0`',
    );
  const onProgress = (step: string): void => void process.stderr.write(`keyslot: ${step}\n`);
  const app = await startApp(config, log, { isOperated: file !== undefined, onProgress, launcher });
  // Before the addresses are printed: a reader of them may send a signal at once.
  const signalled = nextSignal();
  process.stdout.write(
    options.json === true ? `${describeAsJson(app)}\n` : describe(app, resolve(config.data_dir), file),
  );
  const signal = await signalled;
  onProgress(`${signal}: finishing requests, then stopping`);
  void nextSignal().then(() => process.exit(130));
  await app.close();
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    const take = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', take).off('SIGINT', take);
      done(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}

function describeAsJson({ address, rpcPaths, hasLedger, development }: App): string {
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

function describe(app: App, dataDir: string, file: string | undefined): string {
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

function signInHint({ development, hasMembers }: App, file: string | undefined): string {
  if (development !== undefined) {
    const { dashboard_email: email, dashboard_password: password } = development;
    return `   sign in as ${email} (${password === undefined ? 'with the password that was set there' : 'password in dev.json'})`;
  }
  if (hasMembers) return '';
  return `   nobody can sign in yet: keyslot setup-link ACCOUNT${file === undefined ? '' : ` --config ${file}`}`;
}
