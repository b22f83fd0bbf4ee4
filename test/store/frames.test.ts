import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutFrames } from '../../src/store/pglite/frames.ts';

const STARTUP = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);

function message(type: string, content: string): Buffer {
  const bytes = Buffer.alloc(5 + content.length);
  bytes.write(type);
  bytes.writeInt32BE(4 + content.length, 1);
  bytes.write(content, 5);
  return bytes;
}

/** Feeds pieces as they come and returns what was cut. */
function feed(pieces: readonly Uint8Array[]): { startups: string[]; messages: string; rest: string } {
  const startups: string[] = [];
  let [messages, rest] = ['', Buffer.alloc(0)];
  for (const piece of pieces) {
    const frames = cutFrames(Buffer.concat([rest, piece]), startups.length > 0);
    if (frames.startup !== undefined) startups.push(Buffer.from(frames.startup).toString('latin1'));
    messages += Buffer.from(frames.messages).toString('latin1');
    rest = Buffer.from(frames.rest);
  }
  return { startups, messages, rest: rest.toString('latin1') };
}

const anyMessages = fc.array(
  fc.tuple(
    fc.constantFrom('P', 'B', 'D', 'E', 'S', 'Q'),
    fc.string({ maxLength: 40, unit: 'grapheme-ascii' }),
  ),
);

test('messages are the same however their bytes are cut', () => {
  fc.assert(
    fc.property(anyMessages, fc.array(fc.nat(400)), (contents, cuts) => {
      const all = Buffer.concat(contents.map(([type, content]) => message(type, content)));
      const stream = Buffer.concat([STARTUP, all]);
      const at = [0, ...cuts.map((cut) => Math.min(cut, stream.length)).sort((a, b) => a - b), stream.length];
      const pieces = at.slice(1).map((end, index) => stream.subarray(at[index], end));
      expect(feed(pieces)).toEqual({
        startups: [STARTUP.toString('latin1')],
        messages: all.toString('latin1'),
        rest: '',
      });
    }),
  );
});

test('a message waits for its last byte', () => {
  const query = message('Q', 'select 1\0');
  const cut = feed([STARTUP, query.subarray(0, -1)]);
  expect(cut).toMatchObject({ messages: '', rest: query.subarray(0, -1).toString('latin1') });
  expect(feed([STARTUP, query])).toMatchObject({ messages: query.toString('latin1'), rest: '' });
});

test('nothing is passed on from the end of a connection', () => {
  const sync = message('S', '');
  expect(feed([STARTUP, Buffer.concat([sync, message('X', '')])]).messages).toBe(sync.toString('latin1'));
});
