import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../generated/account/operations.ts';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import type { ServedApp } from '../start/served-app.ts';

/** Describes a running server as one line of JSON. */
export function describeAsJson({ address, rpcPaths, hasLedger, development }: ServedApp): string {
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

/** Describes a running server for people: its addresses, and what to try. */
export function describeServed(app: ServedApp, dataDir: string, file: string | undefined): string {
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
    return `   sign in as ${email} (${password === undefined ? 'with the password that was set there' : 'password in dev.json'})`;
  }
  if (hasMembers) return '';
  return `   nobody can sign in yet: keyslot setup-link ACCOUNT${file === undefined ? '' : ` --config ${file}`}`;
}
