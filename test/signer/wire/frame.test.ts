import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ProtocolError } from '../../../src/signer/wire/byte-reader.ts';
import { ByteWriter } from '../../../src/signer/wire/byte-writer.ts';
import * as codecs from '../../../src/signer/wire/codecs.ts';
import { encodeFrame, type Frame, FrameReader } from '../../../src/signer/wire/frame.ts';
import { MAX_FRAME_BYTES, MAX_ID_BYTES, MAX_ITEMS } from '../../../src/signer/limits.ts';
import { OPERATIONS } from '../../../src/signer/wire/operations.ts';
import { rounds } from '../../support/tier.ts';

const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((array) => Buffer.from(array));
const frame = fc.record({ id: fc.nat(0xffff_ffff), code: fc.nat(255), payload: bytes(600) });

test('frames come out as they went in, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 8 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 700 })),
      (frames, cuts) => {
        const stream = Buffer.concat(frames.map(encodeFrame));
        const reader = new FrameReader();
        const read: Frame[] = [];
        for (let at = 0; at < stream.length; ) {
          const length = cuts.next().value as number;
          read.push(...reader.take(stream.subarray(at, at + length)));
          at += length;
        }
        expect(read).toEqual(frames);
        expect(reader.isBetweenFrames).toBe(true);
      },
    ),
  );
});

test('a frame may have as many bytes as stated, and not one more', () => {
  const largest = encodeFrame({ id: 1, code: 1, payload: Buffer.alloc(MAX_FRAME_BYTES) });
  expect([...new FrameReader().take(largest)]).toHaveLength(1);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(5 + MAX_FRAME_BYTES + 1);
  expect(() => [...new FrameReader().take(head)]).toThrow(ProtocolError);
});

test('a frame that is too short for its head is refused before anything else is read', () => {
  expect(() => [...new FrameReader().take(Buffer.from([0, 0, 0, 4]))]).toThrow(ProtocolError);
});

test('a stream that ends in a frame says so', () => {
  const reader = new FrameReader();
  expect([...reader.take(encodeFrame({ id: 1, code: 1, payload: Buffer.alloc(9) }).subarray(0, -1))]).toEqual(
    [],
  );
  expect(reader.isBetweenFrames).toBe(false);
});

test('whatever bytes a request has, reading it ends in a value or in a ProtocolError', () => {
  const requests = Object.values(OPERATIONS).map(
    ({ request }) =>
      (content: ByteReader) =>
        void request.read(content),
  );
  fc.assert(
    fc.property(bytes(400), fc.constantFrom(...requests), (content, read) => {
      try {
        read(new ByteReader(content));
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    }),
    { numRuns: rounds(5_000) },
  );
});

const written = <T>({ write }: codecs.Codec<T>, value: T): Buffer => {
  const writer = new ByteWriter();
  write(writer, value);
  return writer.done();
};

test('content beyond its end is refused', () => {
  const reader = new ByteReader(Buffer.alloc(1));
  expect(() => reader.end()).toThrow(ProtocolError);
});

test('ids have 1 to 64 bytes', () => {
  const read = (length: number) =>
    codecs.owner.read(
      new ByteReader(written(codecs.owner, { walletId: 'w'.repeat(length), accountId: 'a' })),
    );
  for (const length of [1, MAX_ID_BYTES]) expect(read(length).walletId).toHaveLength(length);
  for (const length of [0, MAX_ID_BYTES + 1]) expect(() => read(length)).toThrow(ProtocolError);
});

test('indices go up to 2^31-1', () => {
  const owner = { walletId: 'w', accountId: 'a' };
  const read = (x: number) =>
    codecs.childKey.read(new ByteReader(written(codecs.childKey, { owner, x, y: 0 })));
  expect(read(0x7fff_ffff).x).toBe(0x7fff_ffff);
  expect(() => read(0x8000_0000)).toThrow(ProtocolError);
});

test('one request is about 128 keys at most', () => {
  const owners = (count: number) => Array.from({ length: count }, () => ({ walletId: 'w', accountId: 'a' }));
  const list = codecs.listOf(codecs.owner);
  expect(list.read(new ByteReader(written(list, owners(MAX_ITEMS))))).toHaveLength(MAX_ITEMS);
  expect(() => list.read(new ByteReader(written(list, owners(MAX_ITEMS + 1))))).toThrow(ProtocolError);
});

test('no two operations share a code', () => {
  const codes = Object.values(OPERATIONS).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
