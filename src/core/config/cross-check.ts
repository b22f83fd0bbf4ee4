import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../../generated/config.ts';
import { isCidr } from '../cidr.ts';
import { towerSetting, WITHOUT_TOWER } from './localnet-settings.ts';
import type { NetworkConfig } from './network-config.ts';
import { isLoopbackHost } from '../loopback.ts';
import { readNodeAddress, nodeName, isPubsubAddress } from './node-address.ts';
import { readSmtpUrl } from './smtp-url.ts';

/** Returns the conflicts between settings that each fit their schema, one line per problem. No secret is shown. */
export function crossCheck({ http, networks, hsm, mail, webhooks, ...rest }: Config): readonly string[] {
  return [
    ...checkHost(http),
    ...checkPorts(http, rest.grpc),
    ...checkProxies(http),
    ...(http.tls === undefined ? [] : checkTls(http.tls)),
    ...http.cors_origins.flatMap(checkOrigin),
    ...networks.flatMap(checkNodes),
    ...networks.flatMap(checkNodeNames),
    ...checkNames(networks),
    ...checkHsmSettings(hsm),
    ...checkMailSettings({ mail, http }),
    ...checkNetworks('webhooks.allowed_targets (KEYSLOT_WEBHOOKS_ALLOWED_TARGETS)', webhooks.allowed_targets),
    ...checkUsers(rest),
    ...checkRedis(rest),
    ...checkTracing(rest),
    ...checkWorkers({ networks, ...rest }),
    ...checkLocalnet({ networks, ...rest }),
  ];
}

function checkRedis({
  redis,
  database_url: store,
}: Pick<Config, 'redis' | 'database_url'>): readonly string[] {
  if (redis.url === undefined) return [];
  if (store === undefined)
    return [
      'redis.url (KEYSLOT_REDIS_URL) is set without database_url (KEYSLOT_DATABASE_URL): only servers that share a PostgreSQL database share limits',
    ];
  return URL.canParse(redis.url)
    ? []
    : ['redis.url (KEYSLOT_REDIS_URL) is not a URL such as redis://10.0.0.5:6379'];
}

/** Checks the address here, because the exporter prints a malformed one, which may contain a password. */
function checkTracing({ tracing: { endpoint } }: Pick<Config, 'tracing'>): readonly string[] {
  return endpoint === undefined || URL.canParse(endpoint)
    ? []
    : ['tracing.endpoint (KEYSLOT_TRACING_ENDPOINT) is not a URL such as http://127.0.0.1:4318/v1/traces'];
}

/** Workers share the same things as gateways on several machines, and nothing else. */
function checkWorkers({
  workers,
  networks,
  redis,
  database_url: store,
}: Pick<Config, 'workers' | 'networks' | 'redis' | 'database_url'>): readonly string[] {
  if (workers === 1) return [];
  const shown = `workers (KEYSLOT_WORKERS, --workers) is ${workers}`;
  return [
    ...(store === undefined
      ? [
          `${shown}, and the embedded store is for one process: set database_url (KEYSLOT_DATABASE_URL) to a PostgreSQL`,
        ]
      : []),
    ...(redis.url === undefined
      ? [`${shown} without redis.url (KEYSLOT_REDIS_URL): each worker would give a key its whole plan`]
      : []),
    ...networks.flatMap(({ upstreams }, index) =>
      upstreams.length > 0
        ? []
        : [
            `${shown}, and networks.${index}.upstreams is empty: each worker would have an embedded ledger of its own; set a node (KEYSLOT_UPSTREAM_URL)`,
          ],
    ),
  ];
}

/** Settings of a consensus that the embedded ledger is not told to run. Without an embedded ledger they have no effect. */
function checkLocalnet({ networks, localnet }: Pick<Config, 'networks' | 'localnet'>): readonly string[] {
  const setting = towerSetting(localnet);
  const isEmbedded = networks.some(({ upstreams }) => upstreams.length === 0);
  if (setting === undefined || localnet.consensus !== 'alpenglow' || !isEmbedded) return [];
  return [
    `localnet.${setting} (KEYSLOT_LOCALNET_${setting.toUpperCase()}) is ${localnet[setting]}; needs localnet.consensus: tower (KEYSLOT_LOCALNET_CONSENSUS): ${WITHOUT_TOWER}`,
  ];
}

function checkUsers({
  gateway_user: gateway,
  signer_user: signer,
}: Pick<Config, 'gateway_user' | 'signer_user'>) {
  if ((gateway === undefined) !== (signer === undefined))
    return [
      'gateway_user (KEYSLOT_GATEWAY_USER) and signer_user (KEYSLOT_SIGNER_USER) must be set together; one of them is missing',
    ];
  if (gateway !== undefined && gateway === signer)
    return [`gateway_user and signer_user are both ${gateway}: the signer needs a different user`];
  return [];
}

type HttpConfig = Config['http'];

function checkHost({ host, tls, behind_proxy: isBehindProxy }: HttpConfig): readonly string[] {
  if (isLoopbackHost(host) || tls !== undefined || isBehindProxy) return [];
  return [
    `http.host (KEYSLOT_HTTP_HOST) is ${JSON.stringify(host)}, which others can reach; set http.tls, or http.behind_proxy (KEYSLOT_BEHIND_PROXY=1) if TLS is terminated by a reverse proxy`,
  ];
}

/** Returns one line per listener whose port is the HTTP port, or the additional WebSocket port (the HTTP port + 1 by default). */
function checkPorts(
  { port, ws_port: socketPort }: HttpConfig,
  { port: grpcPort }: Config['grpc'],
): readonly string[] {
  if (grpcPort === 0 || port === 0) return [];
  const shown = `grpc.port (KEYSLOT_GRPC_PORT) is ${grpcPort}`;
  if (grpcPort === port) return [`${shown}, which is http.port (KEYSLOT_HTTP_PORT) too; set a different one`];
  if (grpcPort !== (socketPort ?? port + 1)) return [];
  const source = socketPort === undefined ? 'which defaults to the HTTP port + 1' : 'which is set to it';
  return [
    `${shown}, the port of http.ws_port (KEYSLOT_WS_PORT), ${source}; set one of them to a different port`,
  ];
}

function checkProxies({
  behind_proxy: isBehindProxy,
  trusted_proxies: networks,
}: HttpConfig): readonly string[] {
  const shown = 'http.trusted_proxies (KEYSLOT_TRUSTED_PROXIES)';
  return [
    ...(networks.length > 0 && !isBehindProxy
      ? [`${shown} is set without http.behind_proxy (KEYSLOT_BEHIND_PROXY=1), and has no effect without it`]
      : []),
    ...checkNetworks(shown, networks),
  ];
}

function checkNetworks(shown: string, networks: readonly string[]): readonly string[] {
  return networks
    .filter((network) => !isCidr(network))
    .map(
      (network) =>
        `${shown} has ${JSON.stringify(network)}; must be networks such as 10.0.0.0/8 or fd00::/8, or addresses`,
    );
}

/** Checks that both files can be read and hold a certificate and its key. */
function checkTls({ cert_file: certFile, key_file: keyFile }: NonNullable<HttpConfig['tls']>) {
  const problems: string[] = [];
  const attempt = <T>(setting: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(`${setting}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const cert = attempt(`http.tls.cert_file (KEYSLOT_TLS_CERT_FILE) ${certFile}`, () =>
    readFileSync(certFile),
  );
  const key = attempt(`http.tls.key_file (KEYSLOT_TLS_KEY_FILE) ${keyFile}`, () => readFileSync(keyFile));
  if (cert !== undefined && key !== undefined) {
    attempt('http.tls: the files are not a certificate and its private key', () =>
      createSecureContext({ cert, key }),
    );
  }
  return problems;
}

/** Browsers send an origin as scheme, host and port: anything else would never match. */
function checkOrigin(origin: string, index: number): readonly string[] {
  if (origin === '*' || origin === 'null' || URL.parse(origin)?.origin === origin) return [];
  return [
    `http.cors_origins.${index} (KEYSLOT_CORS_ORIGINS) is ${JSON.stringify(origin)}; must be * or an origin such as https://app.example, without a path`,
  ];
}

function checkNodes({ environment, upstreams }: NetworkConfig, index: number): readonly string[] {
  const path = `networks.${index}.upstreams`;
  if (upstreams.length === 0 && environment !== 'localnet') {
    return [
      `${path} is empty; environment ${environment} needs a node (KEYSLOT_UPSTREAM_URL): the embedded ledger serves only localnet`,
    ];
  }
  return upstreams.flatMap(({ url, ws_url: wsUrl }, item) => [
    ...(readNodeAddress(url) === undefined
      ? [`${path}.${item}.url (KEYSLOT_UPSTREAM_URL) is not a valid URL`]
      : []),
    ...(wsUrl !== undefined && !isPubsubAddress(wsUrl)
      ? [`${path}.${item}.ws_url (KEYSLOT_UPSTREAM_WS_URL) is not a valid WebSocket URL`]
      : []),
  ]);
}

/** Metrics and findings are keyed by node name. An unnamed node is named after its position, which may be another node's given name. */
function checkNodeNames({ upstreams }: NetworkConfig, index: number): readonly string[] {
  const names = upstreams.map(nodeName);
  return names.flatMap((name, item) => {
    const first = names.indexOf(name);
    if (first === item) return [];
    const paths = [first, item].map((place) => `networks.${index}.upstreams.${place}`);
    return [`${paths.join(' and ')} are both called ${name}; names of nodes must be unique within a network`];
  });
}

function checkNames(networks: readonly NetworkConfig[]): readonly string[] {
  const labels = networks.map(({ name, environment }) => `${name}-${environment}`);
  return labels.flatMap((label, index) =>
    labels.indexOf(label) === index ? [] : [`networks.${index}: the network ${label} is configured twice`],
  );
}

const URL_NAME = 'mail.smtp_url (KEYSLOT_MAIL_SMTP_URL)';
const FILE_NAME = 'mail.smtp_url_file (KEYSLOT_MAIL_SMTP_URL_FILE)';
const FROM_NAME = 'mail.from (KEYSLOT_MAIL_FROM)';

/** Returns the problems of mail settings that each fit their schema, one line per problem. The URL is not shown. */
function checkMailSettings({ mail, http }: Pick<Config, 'mail' | 'http'>): readonly string[] {
  const { smtp_url: url, smtp_url_file: file, from } = mail;
  const hasServer = url !== undefined || file !== undefined;
  const isLocal = isLoopbackHost(http.host) && !http.behind_proxy;
  return [
    ...(url !== undefined && file !== undefined
      ? [`${URL_NAME} and ${FILE_NAME} are both set; set only one of them`]
      : []),
    ...(hasServer && from === undefined ? [`${FROM_NAME} is missing; emails need a sender`] : []),
    ...(!hasServer && from !== undefined
      ? [`${FROM_NAME} is set without ${URL_NAME}, and has no effect without it`]
      : []),
    ...(url !== undefined && readSmtpUrl(url) === undefined
      ? [`${URL_NAME} is not a URL such as smtps://user:password@mail.example.com:465`]
      : []),
    // A name from a request could be anybody's.
    ...(hasServer && http.public_url === undefined && !isLocal
      ? ['http.public_url (KEYSLOT_PUBLIC_URL) is missing; links in emails begin with it']
      : []),
  ];
}

/** Returns the problems of key backend settings that each fit their schema, one line per problem. No PIN is shown. */
function checkHsmSettings({ kind, soft, pkcs11 }: Config['hsm']): readonly string[] {
  return [...(kind === 'pkcs11' ? checkPkcs11(pkcs11) : []), ...checkSoft(soft)];
}

function checkPkcs11(pkcs11: Config['hsm']['pkcs11']): readonly string[] {
  if (pkcs11 === undefined) {
    return [
      'hsm.pkcs11 is missing; hsm.kind pkcs11 needs at least hsm.pkcs11.library (KEYSLOT_PKCS11_LIBRARY)',
    ];
  }
  const { token, slot, pin, pin_file: pinFile } = pkcs11;
  return [
    ...exactlyOne(
      [token, slot],
      'hsm.pkcs11.token (KEYSLOT_PKCS11_TOKEN)',
      'hsm.pkcs11.slot (KEYSLOT_PKCS11_SLOT)',
    ),
    ...exactlyOne(
      [pinFile, pin],
      'hsm.pkcs11.pin_file (KEYSLOT_PKCS11_PIN_FILE)',
      'hsm.pkcs11.pin (KEYSLOT_PKCS11_PIN)',
    ),
  ];
}

function checkSoft({
  master_key_file: current,
  previous_master_key_file: previous,
}: Config['hsm']['soft']): readonly string[] {
  if (previous === undefined || current !== undefined) return [];
  return [
    'hsm.soft.previous_master_key_file (KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE) is set without hsm.soft.master_key_file (KEYSLOT_HSM_MASTER_KEY_FILE)',
  ];
}

function exactlyOne(values: readonly unknown[], first: string, second: string): readonly string[] {
  const given = values.filter((value) => value !== undefined).length;
  if (given === 1) return [];
  return [
    given === 0
      ? `${first} or ${second} is missing`
      : `${first} and ${second} are both set; set only one of them`,
  ];
}
