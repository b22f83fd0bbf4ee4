import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { DurableNodeFs, START_PARAMS } from './durable-node-fs.ts';
import { findPanic } from './find-panic.ts';
import { cutFrames } from './frames.ts';

// The store's thread: PGlite behind the PostgreSQL wire protocol. It has one session, so a new connection ends the state that the previous
// one left. An error that PostgreSQL does not answer itself ends the thread.

if (parentPort === null) throw new Error('this file runs as a worker thread');
const port = parentPort;
const { directory } = workerData as { readonly directory: string };

const SYNC = Uint8Array.of(0x53, 0, 0, 0, 4);
const EMPTY = new Uint8Array(0);

/**
 * V8 compiles a function of PostgreSQL a second time, to faster code, once it has run for a while. By default a large one counts as used
 * after some 26 calls, so that a start spent a third of its CPU on that, and 600 MB on the largest one. It pays after some thousand calls.
 */
setFlagsFromString('--wasm-tiering-budget=500000000');

const pglite = await PGlite.create({ fs: new DurableNodeFs(directory), startParams: START_PARAMS });
let session = 0;
let started = false;
let hasPanicked = false;
let pending: Uint8Array = EMPTY;
let work: Promise<void> = Promise.resolve();

port.on('message', (message: ToWorker) => {
  work = work.then(() => handle(message));
});
answer({ kind: 'ready' });

async function handle(message: ToWorker): Promise<void> {
  if (hasPanicked) return;
  if (message.kind === 'close') {
    await pglite.close();
    port.close();
  } else if (message.kind === 'connect') {
    await beginSession(message.session);
  } else if (message.session === session) {
    await takeBytes(message.bytes);
  }
}

async function beginSession(next: number): Promise<void> {
  if (session > 0) {
    for (const leftover of [SYNC, simpleQuery('rollback'), simpleQuery('discard all')]) {
      await carryOut(leftover);
    }
  }
  session = next;
  started = false;
  pending = EMPTY;
}

async function takeBytes(bytes: Uint8Array): Promise<void> {
  const { startup, messages, rest } = cutFrames(
    pending.length === 0 ? bytes : Buffer.concat([pending, bytes]),
    started,
  );
  pending = rest;
  for (const part of [startup, messages]) {
    if (part === undefined || part.length === 0) continue;
    started = true;
    const bytes = await carryOut(part);
    const reason = findPanic(bytes);
    hasPanicked = reason !== undefined;
    answer({ kind: 'bytes', session, bytes });
    if (reason !== undefined) return answer({ kind: 'panic', reason });
  }
}

/**
 * Returns PostgreSQL's answer to protocol messages. Read as a stream: otherwise PGlite also parses all of it into objects, and keeps them
 * as long as the thread lives.
 */
async function carryOut(messages: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  await pglite.execProtocolRawStream(messages, {
    // The part is in PostgreSQL's memory, and valid only now.
    onRawData: (part) => void parts.push(part.slice()),
    // Nothing to copy: files are written through.
    syncToFs: false,
  });
  const [first = EMPTY] = parts;
  return parts.length === 1 ? first : joined(parts);
}

/** Joins parts in new memory, which can be transferred to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sizeBytes, { length }) => sizeBytes + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** PostgreSQL protocol 3.0, message Query: type, length, text, zero byte. */
function simpleQuery(text: string): Uint8Array {
  const message = Buffer.alloc(text.length + 6);
  message.write('Q');
  message.writeInt32BE(text.length + 5, 1);
  message.write(text, 5);
  return message;
}

function answer(message: FromWorker): void {
  port.postMessage(message, message.kind === 'bytes' ? [message.bytes.buffer as ArrayBuffer] : []);
}

/** Messages of the main thread to the store's thread. `session` counts the driver's connections, from 1. */
export type ToWorker =
  | { readonly kind: 'connect'; readonly session: number }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  | { readonly kind: 'close' };

/** Messages of the store's thread. `bytes` are unchanged PostgreSQL wire protocol. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'bytes'; readonly session: number; readonly bytes: Uint8Array }
  /** PostgreSQL has panicked, and the thread does nothing more. */
  | { readonly kind: 'panic'; readonly reason: string };
