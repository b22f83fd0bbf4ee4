import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { status as STATUS } from '@grpc/grpc-js';
import { ERRORS } from '../../../generated/errors.ts';
import type { Random } from '../../lab/random.ts';
import { Corpus } from './corpus.ts';
import { chance, damaged, pick } from './damage.ts';
import { type GrpcRequest, grpcRequest } from './grpc-requests.ts';
import type { LaneDeps, Protocol } from './protocol.ts';

const AT_ONCE = 32;
/** Then the client opens another connection. */
const CALLS_OF_A_SESSION = 2_000;
/** A stream of a topic has no end: it is left after this time. */
const READ_MS = [0, 1, 5, 50];
const STREAMS = /\/(?:Subscribe|Watch|ServerReflectionInfo)$/;
const RAW_AT_ONCE = 8;
const RAW_MS = 300;
const LATE_MS = 20_000;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** Of a transport that has no message to decode (grpc/grpc, doc/statuscodes.md); the catalogue's internal error comes with its name. */
const OWN_INTERNAL = ERRORS.internalError.grpc.message;

type Ended = {
  readonly http: number | undefined;
  readonly status: number | undefined;
  readonly message: string;
};

/** gRPC: calls with messages, metadata and frames that fit or do not, streams that are left, and bytes that are no HTTP/2. */
export const grpcStreams: Protocol = {
  name: 'gRPC streams',
  lanes: 6,
  env: { KEYSLOT_MAX_STREAMS_PER_KEY: '1000' },
  prepare: async ({ grpcUrl, apiKey }) => {
    const port = Number(new URL(grpcUrl).port);
    return async (deps) => {
      const { random, count, fault } = deps;
      const requests = new Corpus(grpcRequest, random);
      let [session, calls] = [openSession(grpcUrl), 0];
      const send = async (): Promise<void> => {
        const request = requests.next();
        const bytes = framed(request, random);
        const headers = {
          'x-api-key': apiKey,
          'content-type': 'application/grpc',
          te: 'trailers',
          ...request.headers,
        };
        const ended = await call(session, {
          path: request.path,
          headers,
          bytes,
          leaveMs: pick(READ_MS, random),
        });
        count(
          ended === undefined
            ? 'left or reset'
            : `${ended.http} ${STATUS[ended.status ?? -1] ?? 'no status'}`,
        );
        const wrong = faultOf(ended);
        if (wrong !== undefined)
          fault(
            `${wrong}: ${JSON.stringify(ended)} to ${request.path} ${JSON.stringify(request.headers)} ${bytes.subarray(0, 300).toString('base64')}`,
          );
      };
      return {
        burst: async () => {
          if (chance(2, random)) {
            await Promise.all(Array.from({ length: RAW_AT_ONCE }, () => sendRaw(port, deps)));
            return RAW_AT_ONCE;
          }
          if (session.closed || session.destroyed || calls > CALLS_OF_A_SESSION) {
            session.close();
            [session, calls] = [openSession(grpcUrl), 0];
          }
          calls += AT_ONCE;
          await Promise.all(Array.from({ length: AT_ONCE }, send));
          return AT_ONCE;
        },
        close: async () => session.destroy(),
      };
    };
  },
};

function openSession(url: string): ClientHttp2Session {
  return connect(url).on('error', () => undefined);
}

/** The message behind its flag and length (gRPC over HTTP/2), or something like it. */
function framed({ message, isFramed }: GrpcRequest, random: Random): Buffer {
  const body = chance(40, random) ? damaged(message, random) : message;
  const head = Buffer.alloc(5);
  head[0] = isFramed ? 0 : random(4);
  head.writeUInt32BE(isFramed ? body.length : pick([0, body.length + 1, 2 ** 32 - 1, 2 ** 20], random), 1);
  return Buffer.concat([head, body]);
}

type Call = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly leaveMs: number;
};

/** The end of a call; undefined: the client left its stream, or the server reset it. No answer in time is HTTP status 0. */
function call(
  session: ClientHttp2Session,
  { path, headers, bytes, leaveMs }: Call,
): Promise<Ended | undefined> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve(undefined);
    let [http, status, message]: [number | undefined, number | undefined, string] = [
      undefined,
      undefined,
      '',
    ];
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    const take = (fields: Readonly<Record<string, unknown>>): void => {
      if (typeof fields[':status'] === 'number') http = fields[':status'];
      if (fields['grpc-status'] === undefined) return;
      status = Number(fields['grpc-status']);
      message = String(fields['grpc-message'] ?? '');
    };
    const isStream = STREAMS.test(path);
    const end = (ended: Ended | undefined): void => {
      clearTimeout(left);
      resolve(ended);
    };
    // A stream that waits for room in its connection says nothing when it is closed.
    const leave = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      end(isStream ? undefined : { http: 0, status: undefined, message });
    };
    const left = setTimeout(leave, isStream ? leaveMs : LATE_MS);
    stream
      .on('response', take)
      .on('trailers', take)
      .on('error', () => undefined);
    stream.once('close', () => end(http === undefined ? undefined : { http, status, message }));
    stream.resume();
    stream.end(bytes);
  });
}

/** Statuses of the catalogue and of the transport; an internal error only where the transport could not decode what came. */
function faultOf(ended: Ended | undefined): string | undefined {
  if (ended === undefined) return undefined;
  if (ended.http === 0) return 'no answer';
  if (ended.http !== 200) return (ended.http ?? 500) < 500 ? undefined : 'a failure of the server';
  if (ended.status === undefined || STATUS[ended.status] === undefined) return 'no status of gRPC';
  if (ended.status === STATUS.UNKNOWN || decodeURIComponent(ended.message) === OWN_INTERNAL)
    return 'an internal error';
  return undefined;
}

/** Writes bytes that begin as HTTP/2, and looks that the connection is closed or left in peace. */
function sendRaw(port: number, { random, count, fault }: LaneDeps): Promise<void> {
  const frames = Array.from({ length: 1 + random(4) }, () => randomFrame(random));
  const whole = Buffer.concat([PREFACE, SETTINGS, ...frames]);
  const bytes = chance(50, random) ? damaged(whole, random) : whole;
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1');
    const end = setTimeout(() => socket.destroy(), RAW_MS);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') fault('the port is closed');
    });
    socket.once('close', () => {
      clearTimeout(end);
      count('raw bytes');
      resolve();
    });
    socket.resume();
    socket.write(bytes);
  });
}

/** A frame of any type (RFC 9113, section 4.1): length, type, flags, stream, and bytes that may be right or not. */
function randomFrame(random: Random): Buffer {
  const payload = Buffer.from(Array.from({ length: random(40) }, () => random(256)));
  const head = Buffer.alloc(9);
  head.writeUIntBE(chance(80, random) ? payload.length : random(2 ** 24), 0, 3);
  head[3] = random(12);
  head[4] = random(256);
  head.writeUInt32BE(pick([0, 1, 2, 3, 2 ** 31 - 1, 2 ** 32 - 1], random), 5);
  return Buffer.concat([head, payload]);
}
