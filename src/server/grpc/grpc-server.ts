import {
  type sendUnaryData,
  Server,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { StreamServiceService } from '../../../generated/stream/service.ts';
import { type ServiceError, serviceError, toServiceError } from '../../base/service-error.ts';
import type { Cursor } from '../../stream/cursor.ts';
import { assertListenable } from '../connections/listener.ts';
import { admitCall, type CallName } from './admit-call.ts';
import { createCallBounds } from './call-bounds.ts';
import { getTopicSchema, listTopics } from './describe-topics.ts';
import { type GrpcListenerOptions, listenForGrpc } from './grpc-listener.ts';
import { GrpcPeers } from './grpc-peers.ts';
import { toGrpcStatus } from './grpc-status.ts';
import { addHealth } from './health-service.ts';
import { addReflection } from './reflection-service.ts';
import {
  CLIENT_LEFT,
  OpenStreams,
  subscribe,
  type SubscribeCall,
  type SubscribeOptions,
} from './subscribe.ts';

export type GrpcServerOptions = GrpcListenerOptions &
  Omit<SubscribeOptions, 'peers'> & {
    /**
     * Called for each call that is refused or ends with an error; `internalError` and errors without a gRPC form come with
     * their cause.
     */
    readonly onError: (error: ServiceError) => void;
  };

type ServedOptions = SubscribeOptions & Pick<GrpcServerOptions, 'onError'>;

export type GrpcServer = {
  readonly port: number;
  /** Ends every stream with its position, waits up to `deadlineMs` for calls in flight, then cuts all connections. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

/** Interval at which the key and the token of each stream are checked again. */
const RECHECK_MS = 500;
const SERVICE_NAME = 'keyslot.stream.v1.StreamService';

/** Requests are just names; pings find clients that disappeared without closing. */
const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': 64 * 1024,
  'grpc.max_concurrent_streams': 1_000,
  // MB of what a connection has sent and nobody has taken: a few bytes of HPACK stand for megabytes. Without it there is no limit.
  'grpc-node.max_session_memory': 16,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_idle_ms': 10 * 60_000,
} as const;

/**
 * Serves the stream service (interface.md section 4.3), and the standard services for health and reflection, which need no key.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startGrpcServer(given: GrpcServerOptions): Promise<GrpcServer> {
  await assertListenable(given);
  const options = { ...given, peers: new GrpcPeers() };
  const server = new Server({ ...CHANNEL_OPTIONS, interceptors: [createCallBounds(options.peers)] });
  const streams = new OpenStreams();
  // Messages are already encoded: they are sent as they are.
  const definition = {
    ...StreamServiceService,
    subscribe: { ...StreamServiceService.subscribe, responseSerialize: asBuffer },
  };
  server.addService(definition, createImplementation(options, streams));
  const health = addHealth(server, ['', SERVICE_NAME]);
  addReflection(server);
  const listener = await listenForGrpc(server, options.peers, options);
  const timer = setInterval(() => recheck(streams), RECHECK_MS).unref();
  return {
    port: listener.port,
    close: async (deadlineMs) => {
      clearInterval(timer);
      health.stop();
      await listener.stop();
      for (const { cursor } of streams)
        cursor.fail(serviceError('streamStopping', { slot: cursor.position }));
      await shutDown(server, { ended: listener.closed, deadlineMs });
      listener.cut();
      await listener.closed;
    },
  };
}

function createImplementation(options: ServedOptions, streams: OpenStreams): UntypedServiceImplementation {
  const unary =
    <Q, A>(method: CallName, answer: (request: Q) => A) =>
    (call: ServerUnaryCall<Q, A>, done: sendUnaryData<A>): void => {
      admitCall(options, call, method, async () => answer(call.request)).then(
        (made) => done(null, made),
        (thrown: unknown) => done(toGrpcStatus(reportError(options, thrown))),
      );
    };
  return {
    listTopics: unary('ListTopics', listTopics),
    getTopicSchema: unary('GetTopicSchema', getTopicSchema),
    subscribe: (call: SubscribeCall): void => {
      let last: Cursor | undefined;
      subscribe(options, streams, call, (cursor) => {
        last = cursor;
      }).catch((thrown: unknown) => {
        if (thrown === CLIENT_LEFT || call.cancelled) return;
        call.emit('error', toGrpcStatus(reportError(options, thrown), last?.position));
      });
    },
  };
}

function reportError({ onError }: ServedOptions, thrown: unknown): ServiceError {
  const error = toServiceError(thrown);
  onError(error);
  return error;
}

/** Ends the streams of revoked keys and tokens. */
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

type ShuttingDown = { readonly ended: Promise<void>; readonly deadlineMs: number };

/** Drains every connection and waits until they are closed; those that are not by the deadline are abandoned. */
async function shutDown(server: Server, { ended, deadlineMs }: ShuttingDown): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, deadlineMs);
  server.tryShutdown(() => undefined);
  await Promise.race([ended, deadline.promise]);
  clearTimeout(timer);
  server.forceShutdown();
}
