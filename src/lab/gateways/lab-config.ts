import type { Config } from '../../../generated/config.ts';
import { nodeName } from '../../config/node-name.ts';

/** The receiver of webhooks is on this machine. */
const RECEIVER = '127.0.0.1';

type NodeConfig = Config['networks'][number]['upstreams'][number];

/** What stands in for the parts of an installation. */
export type StandIns = {
  readonly dataDir: string;
  readonly masterKeyFile: string;
  readonly installationKeyFile: string;
  readonly databaseUrl: string | undefined;
  readonly redis: { readonly url: string; readonly prefix: string } | undefined;
  /** The address of the scripted node in the place of each node. */
  readonly nodeUrls: readonly string[];
  readonly genesisHash: string;
};

/** The nodes of the network that the lab serves: those of the configuration, or so many without names. */
export function labNodes({ networks }: Config, count: number): readonly NodeConfig[] {
  const { upstreams = [] } = networks[0] ?? {};
  if (upstreams.length > 0) return upstreams.map((node, at) => ({ ...node, name: nodeName(node, at) }));
  return Array.from({ length: count }, (_, at) => ({
    ...{ url: 'http://127.0.0.1', name: `node-${at + 1}`, weight: 1 },
    roles: ['read', 'send', 'subscribe', 'archive'] as const,
  }));
}

/**
 * The configuration of a gateway of the lab: the operator's, with everything that leads outside replaced. Nodes, store, Redis, files and
 * addresses are the lab's; mail, TLS, system users, a token for keys and what answers to the public are left out.
 */
export function labConfig(config: Config, nodes: readonly NodeConfig[], standIns: StandIns): object {
  const { http, redis, networks, hsm, upstream, websocket, cache, wallets, grpc, webhooks } = config;
  const [network] = networks;
  const { tls: _tls, public_url: _publicUrl, ws_port: _wsPort, ...ownHttp } = http;
  return {
    ...{ data_dir: standIns.dataDir, installation_key_file: standIns.installationKeyFile, log_level: 'warn' },
    ...(standIns.databaseUrl !== undefined && { database_url: standIns.databaseUrl }),
    ...(standIns.redis !== undefined && {
      redis: { ...redis, ...standIns.redis, limits_when_lost: 'open' },
    }),
    shutdown_grace_ms: config.shutdown_grace_ms,
    shutdown_deadline_ms: config.shutdown_deadline_ms,
    http: { ...ownHttp, host: '127.0.0.1', port: 0, behind_proxy: false, trusted_proxies: [] },
    grpc: { ...grpc, port: 0 },
    ...{ upstream, websocket, cache, wallets, webhooks: { ...webhooks, allowed_targets: [RECEIVER] } },
    networks: [
      {
        ...{ name: network?.name ?? 'solana', environment: network?.environment ?? 'localnet' },
        genesis_hash: standIns.genesisHash,
        upstreams: nodes.map(({ name, roles, weight }, at) => ({
          url: standIns.nodeUrls[at],
          name,
          roles,
          weight,
        })),
      },
    ],
    hsm: {
      ...(hsm.max_managed_batch !== undefined && { max_managed_batch: hsm.max_managed_batch }),
      ...{ kind: 'soft', soft: { master_key_file: standIns.masterKeyFile } },
    },
  };
}

/** What of the configuration the lab does not try, in sentences. */
export function leftOut(
  config: Config,
  { hasDatabase, hasRedis }: { readonly hasDatabase: boolean; readonly hasRedis: boolean },
): readonly string[] {
  const { http, hsm, redis, networks, workers, gateway_user: user, database_url: database, mail } = config;
  return [
    ...(networks.length > 1 ? [`Of ${networks.length} networks only the first one is served.`] : []),
    ...(http.tls === undefined ? [] : ['Clients come without TLS.']),
    ...(hsm.kind === 'soft' ? [] : [`Keys are kept in software, not in ${hsm.kind}.`]),
    ...(user === undefined ? [] : ['Gateway and signer run as the user of the lab.']),
    ...(mail.smtp_url === undefined ? [] : ['No mail is sent.']),
    ...(database !== undefined && !hasDatabase
      ? ['The store is the embedded one: no PostgreSQL was given to the lab.']
      : []),
    ...(redis.url !== undefined && !hasRedis
      ? ['Gateways share no limits, slots or blocks: no Redis was given to the lab.']
      : []),
    ...(workers === 1 ? [] : [`Each gateway is one process, not ${workers} workers.`]),
    ...(hasRedis && redis.limits_when_lost === 'closed'
      ? ['While Redis is lost, limits are open: with closed, requests would be refused by design.']
      : []),
  ];
}
