import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { DESCRIPTOR_SET } from '../../../generated/stream/descriptors.ts';
import { StreamServiceService } from '../../../generated/stream/service.ts';
import { type ServiceError, serviceError, toServiceError } from '../../service-error.ts';
import type { Cursor } from '../../stream/cursor.ts';
import { assertListenable, type ListenOptions } from '../http/http-server.ts';
import { admitCall } from './admit-call.ts';
import { getTopicSchema, listTopics } from './describe-topics.ts';
import { toGrpcStatus } from './grpc-status.ts';
import {
  CLIENT_LEFT,
  OpenStreams,
  subscribe,
  type SubscribeCall,
  type SubscribeOptions,
} from './subscribe.ts';

export type GrpcServerOptions = ListenOptions &
  SubscribeOptions & {
    readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
    /** Told of each call that is refused or ends with an error; `internalError` and those without a gRPC form with their cause. */
    readonly onError: (error: ServiceError) => void;
  };

export type GrpcServer = {
  readonly port: number;
  /** Ends every stream with its position, waits up to `deadlineMs` for what is under way, then cuts all connections. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

/** How often a stream is asked whether its key and its token are still good. */
const RECHECK_MS = 500;
const SERVICE_NAME = 'keyslot.stream.v1.StreamService';

/** Requests are names; pings find clients that went without a word. */
const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': 64 * 1024,
  'grpc.max_concurrent_streams': 1_000,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_idle_ms': 10 * 60_000,
} as const;

/**
 * Serves the stream service (interface.md section 4.3), and the standard services for health and reflection, which need no key.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  await assertListenable(options);
  const server = new Server(CHANNEL_OPTIONS);
  const streams = new OpenStreams();
  const health = new HealthImplementation({ '': 'SERVING', [SERVICE_NAME]: 'SERVING' });
  // Messages come encoded: they are sent as they are.
  const definition = {
    ...StreamServiceService,
    subscribe: { ...StreamServiceService.subscribe, responseSerialize: asBuffer },
  };
  server.addService(definition, createImplementation(options, streams));
  health.addToServer(server);
  new ReflectionService(readDescriptors()).addToServer(server);
  const port = await listen(server, options);
  const timer = setInterval(() => recheck(streams), RECHECK_MS).unref();
  return {
    port,
    close: async (deadlineMs) => {
      clearInterval(timer);
      for (const service of ['', SERVICE_NAME]) health.setStatus(service, 'NOT_SERVING');
      for (const { cursor } of streams)
        cursor.fail(serviceError('streamStopping', { slot: cursor.position }));
      await shutDown(server, deadlineMs);
    },
  };
}

function createImplementation(
  options: GrpcServerOptions,
  streams: OpenStreams,
): UntypedServiceImplementation {
  const unary =
    <Q, A>(method: string, answer: (request: Q) => A) =>
    (call: ServerUnaryCall<Q, A>, done: sendUnaryData<A>): void => {
      admitCall(options, call, method, async () => answer(call.request)).then(
        (made) => done(null, made),
        (thrown: unknown) => done(toGrpcStatus(noted(options, thrown))),
      );
    };
  return {
    listTopics: unary('ListTopics', listTopics),
    getTopicSchema: unary('GetTopicSchema', getTopicSchema),
    subscribe: (call: SubscribeCall): void => {
      let place: Cursor | undefined;
      subscribe(options, streams, call, (cursor) => {
        place = cursor;
      }).catch((thrown: unknown) => {
        if (thrown === CLIENT_LEFT || call.cancelled) return;
        call.emit('error', toGrpcStatus(noted(options, thrown), place?.position));
      });
    },
  };
}

function noted({ onError }: GrpcServerOptions, thrown: unknown): ServiceError {
  const error = toServiceError(thrown);
  onError(error);
  return error;
}

/** Keys and tokens that were revoked end their streams. */
function recheck(streams: OpenStreams): void {
  for (const stream of streams) {
    try {
      stream.recheck();
    } catch (thrown) {
      stream.cursor.fail(toServiceError(thrown));
    }
  }
}

function asBuffer(message: unknown): Buffer {
  if (!(message instanceof Uint8Array)) throw new TypeError('a message was not encoded');
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
}

function readDescriptors() {
  return loadFileDescriptorSetFromBuffer(Buffer.from(DESCRIPTOR_SET, 'base64'));
}

async function listen(server: Server, { host, port, tls }: GrpcServerOptions): Promise<number> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }]);
  return await new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(serviceError('listenFailed', { address, reason: error.message }, error));
    });
  });
}

async function shutDown(server: Server, deadlineMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.forceShutdown();
    closed.resolve();
  }, deadlineMs);
  server.tryShutdown(() => closed.resolve());
  await closed.promise;
  clearTimeout(timer);
}
