import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { addressKey } from '../connections/connections.ts';
import type { GrpcPeers } from './admit-call.ts';
import { addressOf } from './call-request.ts';

/** Calls that a connection may have open until one of them had a valid key. */
export const KEYLESS_STREAMS = 100;
/** Calls that a connection may have open from then on. */
const KEYED_STREAMS = 1_000;

/** Same limit as for the head of an HTTP request. HPACK lets a few bytes stand for much more, and grpc-js sets no limit. */
const MAX_METADATA_BYTES = 16 * 1024;
/** Metadata of the calls of one connection whose request has not arrived: clients send it along, or soon. */
const MAX_UNFINISHED_BYTES = 1024 * 1024;
/** Milliseconds in which the request of a call has to arrive. */
const REQUEST_MS = 10_000;
/** Milliseconds in which a call with a stream of requests has to end: of the calls without a key, reflection alone is one. */
const REQUESTS_MS = 30_000;
/** Bytes before each message of a call: a flag that it is compressed, and its length (four bytes). */
const HEAD_BYTES = 5;
/** Requests of one call that may wait for their answer: clients of reflection send a few. */
const MAX_WAITING = 64;
/**
 * Milliseconds in which a refused client gets the reason before its call or its connection is cut: HTTP/2 would hold the call until the
 * client ends it.
 */
const CUT_AFTER_MS = 50;

/**
 * Bounds what calls may hold before their key is checked, or that need none. A call above a bound ends with RESOURCE_EXHAUSTED, which
 * names the bound.
 */
export function createCallBounds(
  peers: Pick<GrpcPeers, 'cut' | 'whenAdmitted'>,
  requestMs = REQUEST_MS,
): ServerInterceptor {
  const unfinished = new Map<string, number>();
  const keyless = new KeylessCalls();
  const keyed = new WeakSet<Http2Session>();
  return ({ requestStream }, call) => {
    const peer = call.getPeer();
    const stream = streamOf(call);
    let heldBytes = 0;
    let hasArrived = false;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      const left = (unfinished.get(peer) ?? 0) - heldBytes;
      heldBytes = 0;
      if (left > 0) unfinished.set(peer, left);
      else unfinished.delete(peer);
    };
    const refuse = (details: string): void => {
      settle();
      call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
      setTimeout(() => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM), CUT_AFTER_MS).unref();
    };
    const cut = (details: string): void => {
      refuse(details);
      setTimeout(() => peers.cut(peer), CUT_AFTER_MS);
    };
    const held = keyless.add(addressKey(addressOf(peer)), refuse);
    if (requestStream) held.grow(READ_AHEAD_BYTES);
    const countMessages = createMessageCount();
    let waiting = 0;
    // Before the library, which would make objects of every five bytes.
    const onData = (chunk: Buffer): void => {
      held.grow(chunk.length * COPIES);
      waiting += countMessages(chunk);
      if (waiting <= MAX_WAITING) return;
      const { headersSent } = stream;
      refuse(`more than ${MAX_WAITING} requests of the call wait for their answer`);
      // Otherwise the library makes them until its answers are taken.
      if (headersSent) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    };
    stream.prependListener('data', onData).once('close', held.release);
    const admit = (): void => {
      held.release();
      stream.off('data', onData);
      const { session } = stream;
      if (session === undefined || session.destroyed || keyed.has(session)) return;
      keyed.add(session);
      session.settings({ maxConcurrentStreams: KEYED_STREAMS });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, goOn) => {
            const bytes = sizeOf(metadata);
            const others = unfinished.get(peer) ?? 0;
            if (bytes > MAX_METADATA_BYTES)
              return cut(`metadata has ${bytes} bytes; the limit is ${MAX_METADATA_BYTES}`);
            if (others + bytes > MAX_UNFINISHED_BYTES)
              return cut(
                `calls whose request has not arrived have more than ${MAX_UNFINISHED_BYTES} bytes of metadata`,
              );
            heldBytes = bytes;
            unfinished.set(peer, others + bytes);
            timer = setTimeout(
              refuse,
              requestMs,
              `the request did not arrive within ${requestMs} ms`,
            ).unref();
            peers.whenAdmitted(metadata, admit);
            held.grow(bytes * COPIES);
            goOn(metadata);
          },
          onReceiveMessage: (message, goOn) => {
            if (!hasArrived) settle();
            if (!hasArrived && requestStream)
              timer = setTimeout(
                refuse,
                REQUESTS_MS,
                `the call did not end within ${REQUESTS_MS} ms`,
              ).unref();
            hasArrived = true;
            goOn(message);
          },
          onCancel: settle,
        }),
      sendMessage: (message, goOn) => {
        waiting--;
        goOn(message);
      },
    });
  };
}

/** The library has no other way to learn when the stream of a call closes, or to reset it. */
function streamOf(call: object): ServerHttp2Stream {
  const { stream } = call as { readonly stream?: unknown };
  if (!(stream instanceof Duplex)) throw new TypeError('grpc-js keeps the stream of a call in another place');
  return stream as ServerHttp2Stream;
}

/** Creates a function that counts the messages which begin in each part of a call. */
function createMessageCount(): (chunk: Buffer) => number {
  let [headBytes, length, leftBytes] = [0, 0, 0];
  return (chunk) => {
    let begun = 0;
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(leftBytes, chunk.length - at);
      leftBytes -= skipped;
      at += skipped;
      if (at === chunk.length) break;
      if (headBytes === 0) begun++;
      else length = length * 256 + (chunk[at] ?? 0);
      at++;
      headBytes = (headBytes + 1) % HEAD_BYTES;
      if (headBytes > 0) continue;
      leftBytes = length;
      length = 0;
    }
    return begun;
  };
}

function sizeOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON()))
    for (const value of values) bytes += name.length + value.length;
  // The library builds an object from the metadata, in which `__proto__` is not a member.
  for (const value of metadata.get('__proto__')) bytes += value.length;
  return bytes;
}

/** The most that the calls without a key may hold in memory, on all connections together. */
const MAX_KEYLESS_BYTES = 64 * 1024 * 1024;
/** The number that is left once that is reached: to end a part at a time costs less than to look for one call each time. */
const KEPT_KEYLESS_BYTES = MAX_KEYLESS_BYTES - 2 * 1024 * 1024;
/** Memory of an open call by itself: measured 6 KB. */
const CALL_BYTES = 8 * 1024;
/** Memory of each byte of metadata and requests: once as it arrived, and once as the library's objects. */
const COPIES = 2;
/** Bytes that may have arrived unread while answers are not taken: the window of a stream (RFC 9113, section 6.9.2). */
const READ_AHEAD_BYTES = 64 * 1024;

/** An open call without a key. */
type KeylessCall = {
  /** Counts memory that it takes. */
  readonly grow: (bytes: number) => void;
  /** Stops counting it. */
  readonly release: () => void;
};

/** The calls of one address, the longest open first. */
type CallsOfAddress = { bytes: number; readonly calls: Map<KeylessCall, CallState> };
type CallState = { bytes: number; readonly end: (details: string) => void };

/**
 * The open calls without a key. Above the bound nobody is kept out: the address whose calls hold most loses those that have been open
 * longest.
 */
class KeylessCalls {
  readonly #addresses = new Map<string, CallsOfAddress>();
  #bytes = 0;

  /** Adds a call. @param end ends it with the reason, if others need the memory. */
  add(address: string, end: (details: string) => void): KeylessCall {
    const group = this.#addresses.get(address) ?? { bytes: 0, calls: new Map() };
    this.#addresses.set(address, group);
    const state = { bytes: 0, end };
    const call: KeylessCall = {
      grow: (bytes) => {
        if (!group.calls.has(call)) return;
        this.#count(group, state, bytes);
        if (this.#bytes > MAX_KEYLESS_BYTES) this.#makeRoom();
      },
      release: () => this.#release(address, group, call),
    };
    group.calls.set(call, state);
    call.grow(CALL_BYTES);
    return call;
  }

  #count(group: CallsOfAddress, state: CallState, bytes: number): void {
    state.bytes += bytes;
    group.bytes += bytes;
    this.#bytes += bytes;
  }

  #release(address: string, group: CallsOfAddress, call: KeylessCall): void {
    const state = group.calls.get(call);
    if (state === undefined) return;
    this.#count(group, state, -state.bytes);
    group.calls.delete(call);
    if (group.calls.size === 0) this.#addresses.delete(address);
  }

  #makeRoom(): void {
    const details = `calls without a valid key hold more than ${MAX_KEYLESS_BYTES} bytes; try again later`;
    while (this.#bytes > KEPT_KEYLESS_BYTES)
      for (const group of [...this.#addresses.values()].sort((a, b) => b.bytes - a.bytes)) {
        const half = group.bytes / 2;
        for (const [call, { end }] of group.calls) {
          if (this.#bytes <= KEPT_KEYLESS_BYTES) return;
          if (group.bytes <= half) break;
          call.release();
          end(details);
        }
      }
  }
}
