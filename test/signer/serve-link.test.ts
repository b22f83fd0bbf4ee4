import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { serviceError } from '../../src/core/service-error.ts';
import { type AnswerFrame, serveLink } from '../../src/signer/process/open-gate.ts';
import { ByteWriter } from '../../src/signer/wire/byte-writer.ts';
import { encodeFrame, type Frame, FrameReader, writeHead } from '../../src/signer/wire/frame.ts';
import { ProtocolError } from '../../src/signer/wire/byte-reader.ts';

/** The signer's end of a link whose other end is the test. `taken` bytes are what the test's gateway accepts at once. */
function openPair(highWaterMark = 1 << 20) {
  const frames = new FrameReader();
  const answers: Frame[] = [];
  let held: (() => void)[] = [];
  let isTaking = true;
  const link = new Duplex({
    highWaterMark,
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      answers.push(...frames.take(bytes));
      if (isTaking) done();
      else held.push(done);
    },
  });
  const request = (id: number, { remainingMs = 1_000, code = 9 } = {}): Buffer => {
    const writer = new ByteWriter();
    writeHead(writer, { isRepeat: false, remainingMs });
    return encodeFrame({ id, code, payload: writer.done() });
  };
  const stopTaking = (): void => {
    isTaking = false;
  };
  const takeAgain = (): void => {
    isTaking = true;
    for (const done of held.splice(0)) done();
    held = [];
  };
  return { link, answers, request, stopTaking, takeAgain };
}

const turn = () => new Promise<void>((done) => setImmediate(done));
const EMPTY = Buffer.alloc(0);
const echo: AnswerFrame = async () => EMPTY;

test('each request is answered under its own id', async () => {
  const { link, answers, request } = openPair();
  void serveLink(link, echo, () => 0);
  link.push(Buffer.concat([request(7), request(8)]));
  await turn();
  expect(answers.map(({ id, code }) => [id, code])).toEqual([
    [7, 0],
    [8, 0],
  ]);
});

test('a request that fails is answered with its failure, and the next one is served', async () => {
  const { link, answers, request } = openPair();
  const answer: AnswerFrame = async (code) => {
    if (code === 1) throw serviceError('walletNotFound');
    if (code === 2) throw new ProtocolError('an empty message');
    return EMPTY;
  };
  void serveLink(link, answer, () => 0);
  link.push(Buffer.concat([request(1, { code: 1 }), request(2, { code: 2 }), request(3, { code: 3 })]));
  await turn();
  expect(answers.map(({ id, code }) => [id, code])).toEqual([
    [1, 2],
    [2, 1],
    [3, 0],
  ]);
});

test('a request without its head is answered with a failure', async () => {
  const { link, answers } = openPair();
  void serveLink(link, echo, () => 0);
  link.push(encodeFrame({ id: 5, code: 2, payload: EMPTY }));
  await turn();
  expect(answers).toMatchObject([{ id: 5, code: 1 }]);
});

test('bytes that are no frame end the link', async () => {
  const { link } = openPair();
  const served = serveLink(link, echo, () => 0);
  link.push(Buffer.alloc(64, 0xff));
  await expect(served).rejects.toThrow(ProtocolError);
  expect(link.destroyed).toBe(true);
});

test('a gateway that leaves in the middle of a frame is noticed', async () => {
  const { link, request } = openPair();
  const served = serveLink(link, echo, () => 0);
  link.push(request(1).subarray(0, -1));
  link.push(null);
  await expect(served).rejects.toThrow('in the middle of a frame');
});

test('a gateway that leaves between frames has left in order', async () => {
  const { link } = openPair();
  const served = serveLink(link, echo, () => 0);
  link.push(null);
  await expect(served).resolves.toBeUndefined();
});

test('a request whose deadline passed while it waited is not begun', async () => {
  const { link, answers, request } = openPair();
  let nowMs = 0;
  const begun: number[] = [];
  const gates: (() => void)[] = [];
  const answer: AnswerFrame = async (code) => {
    begun.push(code);
    await new Promise<void>((done) => gates.push(done));
    return EMPTY;
  };
  void serveLink(link, answer, () => nowMs);
  link.push(Buffer.concat(Array.from({ length: 65 }, (_, id) => request(id, { remainingMs: 100 }))));
  await turn();
  expect(begun).toHaveLength(64);
  nowMs = 100;
  gates.shift()?.();
  await turn();
  expect(begun).toHaveLength(64);
  expect(answers.find(({ id }) => id === 64)).toMatchObject({ code: 6 });
});

test('it reads no further while as many requests as it works on are under way', async () => {
  const { link, request } = openPair();
  const gates: (() => void)[] = [];
  void serveLink(
    link,
    () => new Promise((done) => gates.push(() => done(EMPTY))),
    () => 0,
  );
  link.push(Buffer.concat(Array.from({ length: 70 }, (_, id) => request(id))));
  await turn();
  expect([gates.length, link.isPaused()]).toEqual([64, true]);
  for (const open of gates.splice(0)) open();
  await turn();
  expect([gates.length, link.isPaused()]).toEqual([6, false]);
});

test('it begins nothing more while the gateway does not take its answers', async () => {
  const { link, request, stopTaking, takeAgain } = openPair(64);
  let begun = 0;
  const answer: AnswerFrame = async () => {
    begun += 1;
    return Buffer.alloc(64);
  };
  void serveLink(link, answer, () => 0);
  stopTaking();
  link.push(request(1));
  await turn();
  link.push(Buffer.concat([request(2), request(3)]));
  await turn();
  expect(begun).toBe(1);
  takeAgain();
  await turn();
  expect(begun).toBeGreaterThan(1);
});
