import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type sendUnaryData,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';

/** Values of ServingStatus (grpc/health/v1/health.proto). */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

type HealthRequest = { readonly service: string };

const PATH = '/grpc.health.v1.Health';

/** The health of the services of a server. */
export type HealthService = {
  /** Reports every service as not serving, also to its watchers. */
  readonly stop: () => void;
};

/** Adds the health service to a server, which needs no key. The named services are serving; `''` is the server itself. */
export function addHealth(server: Server, services: readonly string[]): HealthService {
  let state = SERVING;
  const watchers = new Set<(state: number) => void>();
  const isKnown = (service: string): boolean => services.includes(service);

  const check = (call: ServerUnaryCall<HealthRequest, Buffer>, done: sendUnaryData<Buffer>): void => {
    if (isKnown(call.request.service)) done(null, encodeStatus(state));
    else
      done({ code: status.NOT_FOUND, details: `Health status unknown for service ${call.request.service}` });
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
