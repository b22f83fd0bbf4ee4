import type { Socket } from 'node:net';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import {
  logVerbosity,
  type sendUnaryData,
  Server,
  type ServerUnaryCall,
  setLogVerbosity,
  type UntypedServiceImplementation,
  ServerCredentials,
  Metadata,
  status,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { StreamServiceService } from '../../../generated/stream/service.ts';
import { createRequestId } from '../../core/request-id.ts';
import { type ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import type { Cursor } from '../../gateway/streams/cursor.ts';
import {
  assertListenable,
  type Listener,
  type ListenOptions,
  openListener,
  peerOf,
} from '../connections/listener.ts';
import { admitCall, type CallName, GrpcPeers } from './admit-call.ts';
import { shown } from '../../core/shown.ts';
import { getTopicSchema, listTopics } from './describe-topics.ts';
import { toGrpcStatus } from './grpc-status.ts';
import { createCallBounds, KEYLESS_STREAMS } from './keyless-calls.ts';
import { addReflection } from './reflection-service.ts';
import {
  CLIENT_LEFT,
  OpenStreams,
  subscribe,
  type UnmarkedCall,
  type SubscribeOptions,
} from './subscribe.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { TlsOptions } from '../tls/tls-files.ts';

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
  'grpc.max_concurrent_streams': KEYLESS_STREAMS,
  // MB that a connection has sent and nobody has read: a few bytes of HPACK stand for megabytes. Without it there is no limit.
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
  // The library would log client input for every request, including keys and terminal control bytes.
  setLogVerbosity(logVerbosity.NONE);
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
    (unmarked: ServerUnaryCall<Q, A>, done: sendUnaryData<A>): void => {
      const call = withRequestId(unmarked);
      admitCall(options, call, method, async () => answer(call.request))
        .then(
          (made) => {
            const head = new Metadata();
            head.set('x-request-id', call.requestId);
            call.sendMetadata(head);
            done(null, made);
          },
          (thrown: unknown) => done(toGrpcStatus(reportError(options, thrown), call)),
        )
        .catch((thrown: unknown) => reportError(options, thrown));
    };
  return {
    listTopics: unary('ListTopics', listTopics),
    getTopicSchema: unary('GetTopicSchema', getTopicSchema),
    subscribe: (unmarked: UnmarkedCall): void => {
      const call = withRequestId(unmarked);
      let last: Cursor | undefined;
      subscribe(options, streams, call, (cursor) => {
        last = cursor;
      })
        .catch((thrown: unknown) => {
          if (thrown === CLIENT_LEFT || call.cancelled) return;
          call.emit(
            'error',
            toGrpcStatus(reportError(options, thrown), {
              requestId: call.requestId,
              position: last?.position,
            }),
          );
        })
        .catch((thrown: unknown) => reportError(options, thrown));
    },
  };
}

/** Gives a call the id that its answer and the log of requests have. */
function withRequestId<C extends object>(call: C): C & { readonly requestId: string } {
  return Object.assign(call, { requestId: createRequestId() });
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

type GrpcListenerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections?: Connections | undefined;
};

const HANDSHAKE_MS = 10_000;
/** Milliseconds that a connection closed to make room may take to drain. */
const DRAIN_MS = 1_000;

/**
 * Listens for a gRPC server and passes it the connections: grpc-js can neither limit them itself, nor use TLS with a
 * certificate that changes. Each connection has its own injector, so that it can be drained separately.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
async function listenForGrpc(
  server: Server,
  peers: GrpcPeers,
  options: GrpcListenerOptions,
): Promise<Listener> {
  const drains = new WeakMap<Socket, () => void>();
  const serve = (socket: Socket): void => {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const peer = peerOf(socket);
    peers.add(peer, () => socket.destroy());
    drains.set(socket, () => injector.drain(DRAIN_MS));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      peers.delete(peer);
      injector.destroy();
    });
    injector.injectConnection(socket);
  };
  const ownerOf = (socket: Socket): ConnectionOwner => {
    const peer = peerOf(socket);
    return {
      isInUse: () => peers.hasStreams(peer),
      progress: () => peers.callsOf(peer),
      shed: () => (drains.get(socket) ?? (() => socket.destroy()))(),
    };
  };
  return await openListener({
    ...options,
    protocol: 'h2',
    handshakeTimeoutMs: HANDSHAKE_MS,
    serve,
    bounds: { connections: options.connections, ownerOf, refuse: refuseGrpc },
  });
}

/** Answers every call on a connection with an error, and closes it after the first. */
function refuseGrpc(socket: Socket, reason: ServiceError): void {
  socket.on('error', () => socket.destroy());
  const server = createServer();
  server.on('stream', (stream) => refuseCall(stream, reason));
  server.on('sessionError', () => socket.destroy());
  server.emit('connection', socket);
}

function refuseCall(stream: ServerHttp2Stream, reason: ServiceError): void {
  const { code, details, metadata } = toGrpcStatus(reason);
  stream.on('error', () => undefined);
  stream.once('close', () => stream.session?.close());
  const headers = {
    ...metadata?.toHttp2Headers(),
    ':status': 200,
    'content-type': 'application/grpc+proto',
    'grpc-status': code,
    'grpc-message': encodeURI(details),
  };
  stream.respond(headers, { endStream: true });
}

/** Values of ServingStatus (grpc/health/v1/health.proto). */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

type HealthRequest = { readonly service: string };

const PATH = '/grpc.health.v1.Health';

/** The health of the services of a server. */
type HealthService = {
  /** Reports every service as not serving, also to its watchers. */
  readonly stop: () => void;
};

/** Adds the health service to a server, which needs no key. The named services are serving; `''` is the server itself. */
function addHealth(server: Server, services: readonly string[]): HealthService {
  let state = SERVING;
  const watchers = new Set<(state: number) => void>();
  const isKnown = (service: string): boolean => services.includes(service);

  const check = (call: ServerUnaryCall<HealthRequest, Buffer>, done: sendUnaryData<Buffer>): void => {
    if (isKnown(call.request.service)) done(null, encodeStatus(state));
    else
      done({
        code: status.NOT_FOUND,
        details: `Health status unknown for service ${shown(call.request.service)}`,
      });
  };
  const watch = (call: ServerWritableStream<HealthRequest, Buffer>): void => {
    if (!isKnown(call.request.service)) {
      call.write(encodeStatus(SERVICE_UNKNOWN));
      return;
    }
    const notify = (next: number): void => void call.write(encodeStatus(next));
    watchers.add(notify);
    call.on('cancelled', () => watchers.delete(notify));
    notify(state);
  };
  const list = (_call: ServerUnaryCall<HealthRequest, Buffer>, done: sendUnaryData<Buffer>): void =>
    done(null, encodeList(services, state));

  server.register(`${PATH}/Check`, check, same, readRequest, 'unary');
  server.register(`${PATH}/Watch`, watch, same, readRequest, 'serverStream');
  server.register(`${PATH}/List`, list, same, readRequest, 'unary');
  return {
    stop: () => {
      state = NOT_SERVING;
      for (const notify of watchers) notify(state);
    },
  };
}

/** HealthCheckRequest: service = 1. HealthListRequest has no fields. */
function readRequest(bytes: Buffer): HealthRequest {
  const reader = new BinaryReader(bytes);
  let service = '';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) service = reader.string();
    else reader.skip(type, field);
  }
  return { service };
}

/** HealthCheckResponse: status = 1. */
function encodeStatus(state: number): Buffer {
  return Buffer.from(new BinaryWriter().uint32(8).int32(state).finish());
}

/** HealthListResponse: statuses = 1, a map from a service to its HealthCheckResponse. */
function encodeList(services: readonly string[], state: number): Buffer {
  const writer = new BinaryWriter();
  for (const service of services)
    writer.uint32(10).fork().uint32(10).string(service).uint32(18).bytes(encodeStatus(state)).join();
  return Buffer.from(writer.finish());
}

function same(bytes: Buffer): Buffer {
  return bytes;
}
