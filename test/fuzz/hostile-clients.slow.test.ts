import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { echoResult } from '../server/scripted-node.ts';
import { hostileBody } from './hostile-bodies.ts';
import {
  AMBIGUOUS,
  CARRIED,
  hostileRequest,
  requestText,
  SMUGGLED,
  withSmuggled,
} from './hostile-requests.ts';
import {
  expectUnharmed,
  INSPECTED,
  type OpenServer,
  openServer,
  postBody,
  usedBytes,
} from './open-server.ts';
import { exchange } from './raw-exchange.ts';
import { casesOf, tryCases } from './seeded.ts';

const BODY_TIMEOUT_MS = 1_000;
const ANSWER_MS = 8_000;
/** Hostile connections that are open at the same time: most of them wait for a deadline. */
const AT_ONCE = 200;
const TIMEOUT_MS = 150_000;
const MIB = 1024 * 1024;

let server: OpenServer;
let controls = 0;

beforeAll(async () => {
  server = await openServer({
    KEYSLOT_BODY_TIMEOUT_MS: String(BODY_TIMEOUT_MS),
    KEYSLOT_MAX_BATCH_ITEMS: '10000',
    ...INSPECTED,
  });
});

beforeEach(() => server.node.play(echoResult('1')));

afterAll(() => server.close());

const port = (): number => Number(new URL(server.keyslot.baseUrl).port);
const nextControl = (): Promise<void> => expectUnharmed(server, ++controls);

/** Thousands of cases must leave nothing behind that counts: the memory in use is looked at before and after them. */
async function expectFlatMemory(run: () => Promise<void>): Promise<void> {
  const before = await usedBytes(server);
  await run();
  const grown = (await usedBytes(server)) - before;
  console.log(`memory in use grew by ${(grown / MIB).toFixed(1)} MiB`);
  expect(grown).toBeLessThan(8 * MIB);
}

type Reply = { readonly jsonrpc?: unknown; readonly error?: { readonly code: number } };

test(
  'whatever the body, a kept connection gets an answer, and other clients theirs',
  async () => {
    const statuses = new Set([200, 400, 401, 413, 502]);
    const property = fc.asyncProperty(
      fc.array(hostileBody, { minLength: 8, maxLength: 8 }),
      async (bodies) => {
        const answers = await Promise.all(bodies.map((body) => postBody(server, body)));
        for (const { status, text } of answers) {
          expect(statuses).toContain(status);
          const replies = text === '' ? [] : ([JSON.parse(text)].flat() as readonly Reply[]);
          for (const { jsonrpc, error } of replies)
            expect([jsonrpc, error?.code]).not.toEqual(['2.0', -32603]);
          if (text !== '') expect(replies[0]).toMatchObject({ jsonrpc: '2.0' });
        }
        await nextControl();
      },
    );
    await nextControl();
    await expectFlatMemory(() => tryCases('httpBodies', property, 8));
  },
  TIMEOUT_MS,
);

test(
  'whatever the bytes, a connection is answered or closed, and other clients are not harmed',
  async () => {
    const property = fc.asyncProperty(
      fc.array(hostileRequest(server.target), { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (requests) => {
        const answers = await Promise.all([
          ...requests.map(({ bytes, ...how }) => exchange(port(), bytes, how)),
          nextControl(),
        ]);
        for (const answer of answers.slice(0, -1)) expect(answer).toMatch(/^(?:HTTP\/1\.1 [1-5]\d\d |$)/);
      },
    );
    await expectFlatMemory(() => tryCases('rawRequests', property, AT_ONCE));
  },
  TIMEOUT_MS,
);

test('no request is smuggled behind one whose end can be read in two ways', async () => {
  const first = server.node.seen.length;
  for (const headers of AMBIGUOUS) {
    for (const text of withSmuggled(server.target, headers)) {
      const answer = await exchange(port(), Buffer.from(text, 'latin1'));
      expect([text, answer.match(/HTTP\/1\.1 \d{3}/g)]).toEqual([text, ['HTTP/1.1 400']]);
    }
  }
  expect(server.node.seen.slice(first).filter(({ body }) => body === SMUGGLED)).toEqual([]);
  await nextControl();
});

test('a batch of 10,000 calls is answered, one more is refused', async () => {
  const batch = (size: number): string => `[${Array.from({ length: size }, () => CARRIED).join(',')}]`;
  const whole = await postBody(server, batch(10_000));
  expect(JSON.parse(whole.text)).toHaveLength(10_000);
  expect((await postBody(server, batch(10_001))).text).toContain('"code":-32600');
  await nextControl();
});

test('a body of more than is taken is refused before it is read', async () => {
  const huge = await postBody(server, Buffer.alloc(8 * MIB, 0x5b));
  expect(huge.status).toBe(413);
  await nextControl();
});

test('200 connections that send a byte now and then are closed in time, and nobody waits for them', async () => {
  const request = requestText(server.target, [`content-length: ${CARRIED.length}`]);
  const slow = Array.from({ length: 200 }, (_, index) =>
    dribble(request.slice(0, index % 2 === 0 ? 60 : -2)),
  );
  for (let count = 0; count < 20; count++) await nextControl();
  const answers = await Promise.all(slow);
  expect(answers.every((answer) => answer === '' || /^HTTP\/1\.1 408 /.test(answer))).toBe(true);
  await nextControl();
});

/** Sends a byte every 50 ms, never the last ones, until the server has closed the connection. */
function dribble(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    let sent = Math.max(0, text.length - 100);
    const socket = connect(port(), '127.0.0.1').setEncoding('latin1');
    socket.write(text.slice(0, sent));
    const timer = setInterval(() => {
      if (sent < text.length && socket.writable) socket.write(text.charAt(sent++));
    }, 50);
    const late = setTimeout(() => reject(new Error('the connection stays open')), ANSWER_MS);
    socket.on('data', (data: string) => {
      answer += data;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(late);
      resolve(answer);
    });
  });
}

test('after all that the server runs, and has logged no failure of its own', () => {
  expect(server.keyslot.stderr()).not.toContain('a request failed');
  expect(controls).toBeGreaterThan(casesOf('httpBodies') / 8);
});
