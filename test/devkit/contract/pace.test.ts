import { expect, test } from 'vitest';
import { type Answer, RateLimited } from '../../../src/devkit/contract/json-rpc.ts';
import { createPace } from '../../../src/devkit/contract/command/options.ts';

const NOW_MS = 1_760_000_000_000;
const OK: Answer = { status: 200, text: 'ok', retryAfter: null };
const limited = (retryAfter: string | null): Answer => ({ status: 429, text: '', retryAfter });

/** A clock that moves by what is waited; `sentMs` is when each call was sent, from the start. */
function newRun(ratePerSecond?: number) {
  let nowMs = NOW_MS;
  const sentMs: number[] = [];
  const pace = createPace(ratePerSecond, {
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  const send = (...answers: readonly Answer[]): Promise<Answer> => {
    const left = [...answers];
    return pace(async () => {
      sentMs.push(nowMs - NOW_MS);
      return left.shift() ?? OK;
    });
  };
  return { send, sentMs };
}

test('calls go at once where no rate is given, and spread over the second where one is', async () => {
  const free = newRun();
  const slow = newRun(4);
  for (let count = 0; count < 3; count += 1) {
    await free.send();
    await slow.send();
  }
  expect([free.sentMs, slow.sentMs]).toEqual([
    [0, 0, 0],
    [0, 250, 500],
  ]);
});

test.each([
  ['seconds', '3', 3_000],
  ['parts of a second', '0.5', 500],
  ['a date', new Date(NOW_MS + 7_000).toUTCString(), 7_000],
  ['a date that is over', new Date(NOW_MS - 7_000).toUTCString(), 0],
  ['nothing', null, 1_000],
  ['nothing that can be read', 'soon', 1_000],
  ['as long as is waited for', '60', 60_000],
])(
  'after a 429 whose Retry-After says %s, the call and all others wait so long',
  async (_what, text, waitMs) => {
    const { send, sentMs } = newRun();
    expect(await send(limited(text))).toEqual(OK);
    expect(await send()).toEqual(OK);
    expect(sentMs).toEqual([0, waitMs, waitMs]);
  },
);

test('what is asked for beyond a minute is not waited for', async () => {
  const { send, sentMs } = newRun();
  await expect(send(limited('61'))).rejects.toThrow(
    'the server limits the rate of calls: HTTP 429, Retry-After: 61',
  );
  expect(sentMs).toEqual([0]);
});

test('a call is given up after eight attempts', async () => {
  const { send, sentMs } = newRun();
  await expect(send(...Array(8).fill(limited('1')))).rejects.toBeInstanceOf(RateLimited);
  expect(sentMs).toHaveLength(8);
});

test('a server that answers nothing else for two minutes is waited for no more, until it answers', async () => {
  const { send, sentMs } = newRun();
  await expect(send(...Array(8).fill(limited('50')))).rejects.toBeInstanceOf(RateLimited);
  expect(sentMs).toEqual([0, 50_000, 100_000]);
  await expect(send(limited('50'))).rejects.toBeInstanceOf(RateLimited);
  expect(await send()).toEqual(OK);
  expect(await send(limited('50'))).toEqual(OK);
});
