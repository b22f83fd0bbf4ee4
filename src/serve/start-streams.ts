import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../../generated/config.ts';
import { ERRORS } from '../../generated/errors.ts';
import { callOfTopic } from '../account/identity/api-keys/key-rules.ts';
import type { CallRulesOf } from '../server/access/with-allowed-methods.ts';
import type { RefusalLog } from '../account/identity/refusal-log.ts';
import type { TokenFinder } from '../account/identity/tokens/authenticate-token.ts';
import type { Clock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import { type AdmissionOptions, createAdmission } from '../server/access/admission.ts';
import type { Authenticate } from '../server/access/authenticate.ts';
import type { LogFailure } from '../server/access/failure-log.ts';
import type { CountPushed } from '../server/access/usage-book.ts';
import { createStreamMetrics, type StreamMetrics } from '../gateway/streams/stream-metrics.ts';
import { type GrpcServer, type GrpcServerOptions, startGrpcServer } from '../server/grpc/grpc-server.ts';
import { noteRefusedToken } from '../server/grpc/topic-token.ts';
import type { StreamedNetwork } from '../server/grpc/subscribe.ts';
import type { ServiceError } from '../core/service-error.ts';
import { clientAddressOf } from './start-gate.ts';
import type { FollowedNetwork } from './start-ledgers.ts';
import { viewOf } from '../gateway/streams/account-view.ts';
import type { Store } from '../store/open-store.ts';

export type StreamParts = Omit<AdmissionOptions, 'network'> & {
  readonly countPushed: CountPushed;
  readonly config: Pick<Config, 'accounts' | 'grpc' | 'http'>;
  readonly networks: readonly FollowedNetwork[];
  readonly store: Store;
  readonly tokens: TokenFinder;
  /** Records access tokens that were refused for a topic. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly authenticate: Authenticate;
  readonly callRulesOf: CallRulesOf;
  readonly connections: GrpcServerOptions['connections'];
  readonly tls: GrpcServerOptions['tls'];
  readonly registry: Registry;
  readonly logFailure: LogFailure;
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Serves the topic streams of every network.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startStreams(parts: StreamParts): Promise<GrpcServer> {
  const { config, store, registry, authenticate, tokens, clock, countPushed, connections, tls } = parts;
  const metrics = createStreamMetrics(registry);
  const networks = parts.networks.map((network) => openNetwork(network, parts, metrics));
  const server = await startGrpcServer({
    host: config.http.host,
    port: config.grpc.port,
    portSetting: 'KEYSLOT_GRPC_PORT (or grpc.port)',
    connections,
    tls,
    networks,
    authenticate,
    callRulesOf: parts.callRulesOf,
    tokens,
    clock,
    requests: parts.requests,
    tracing: parts.tracing,
    unread: { maxBytes: config.grpc.max_unread_bytes, maxMessages: config.grpc.max_unread_messages },
    maxStreamsPerKey: config.grpc.max_streams_per_key,
    maxStreamsPerAccount: config.grpc.max_streams_per_key * config.accounts.full_rate_keys,
    viewOf: (accountId) => viewOf(store, accountId),
    onOpen: metrics.openStream,
    onClose: metrics.closeStream,
    onMessages: ({ keyId }, network, topic, messages) => {
      metrics.countMessages(network, topic, messages);
      countPushed({ keyId, network, method: callOfTopic(topic), messages });
    },
    onTokenRefused: noteRefusedToken({
      refusals: parts.refusals,
      clientAddress: clientAddressOf(config, parts.log),
    }),
    onError: (error) => noteError(error, parts, metrics),
  });
  return {
    ...server,
    close: async (deadlineMs) => {
      for (const { hub } of networks) hub.close();
      await server.close(deadlineMs);
    },
  };
}

function openNetwork(
  { label, hub, readYourWrites }: FollowedNetwork,
  parts: StreamParts,
  metrics: StreamMetrics,
): StreamedNetwork {
  metrics.watchHistory(label, hub.standing);
  const { count } = parts;
  const admission = createAdmission({ ...parts, network: label });
  return {
    label,
    admission,
    hub,
    // Topic streams are read at confirmed.
    noteSlot: readYourWrites && ((slot, caller) => readYourWrites.noteSlot('confirmed', slot, caller)),
    count: ({ keyId }, message, outcome) => count({ keyId, network: label, ...message, outcome }),
  };
}

function noteError(error: ServiceError, { log, logFailure }: StreamParts, metrics: StreamMetrics): void {
  const hasForm = 'grpc' in ERRORS[error.code];
  metrics.countError(hasForm ? error.code : 'internalError');
  if (ERRORS[error.code].area === 'upstream') logFailure('streams', error);
  if (!hasForm || error.code === 'internalError')
    log.error({ err: error.cause ?? error }, 'a stream call failed');
}
