import { afterEach, expect, test } from 'vitest';
import type { CheckRequest } from '../../../../src/gateway/ledger/drift/check-request.ts';
import { type CheckThread, createCheckThread } from '../../../../src/gateway/ledger/drift/node-samples.ts';

const failures: Error[] = [];
const clock = { nowMs: 0 };
let thread: CheckThread | undefined;

afterEach(async () => {
  await thread?.close();
  failures.length = 0;
  clock.nowMs = 0;
});

function open(program?: URL): CheckThread {
  thread = createCheckThread({
    onFailure: (error) => failures.push(error),
    nowMs: () => clock.nowMs,
    ...(program && { program }),
  });
  return thread;
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

function reply(method: string, ...texts: readonly string[]): CheckRequest {
  return { kind: 'reply', method, parts: texts.map(bytes) };
}

test('replies, batches and notifications are checked, in parts that are cut anywhere', async () => {
  const { check } = open();
  const calls = bytes('[{"id":1,"method":"getSlot"},{"id":2,"method":"getHealth"}]');
  const replies = bytes('[{"jsonrpc":"2.0","id":2,"result":"new"},{"jsonrpc":"2.0","id":1,"result":7}]');
  const notification = bytes('{"jsonrpc":"2.0","method":"newNotification","params":{}}');
  const found = await Promise.all([
    check(reply('getSlot', '{"jsonrpc":"2.0","id":1,"res', 'ult":5,"é', 'xtra":1}')),
    check(reply('getSlot', '{"jsonrpc":"2.0","id":1,"result":5}')),
    check({ kind: 'batch', calls, parts: [replies] }),
    check({ kind: 'notification', parts: [notification] }),
  ]);
  expect(found).toEqual([
    [{ kind: 'member', name: 'getSlot.*' }],
    [],
    [{ kind: 'word', name: 'getHealth.result new' }],
    [{ kind: 'notification', name: 'newNotification' }],
  ]);
});

test('what is no JSON is not checked, and harms nothing', async () => {
  const { check } = open();
  const texts = ['', '{', '[[[', '"\\ud800', '['.repeat(1_000_000)];
  const found = await Promise.all(texts.map((text) => check(reply('getSlot', text))));
  expect(found).toEqual(texts.map(() => undefined));
  expect(await check(reply('getSlot', '{"jsonrpc":"2.0","id":1,"result":5}'))).toEqual([]);
  expect(failures).toEqual([]);
});

test('bytes that are checked are gone from here', async () => {
  const request = reply('getSlot', '{"jsonrpc":"2.0","id":1,"result":5}');
  const checked = open().check(request);
  expect(request.kind === 'reply' && request.parts[0]?.length).toBe(0);
  expect(await checked).toEqual([]);
});

test('what has too many values for the memory of the process is not checked', async () => {
  const { check } = open();
  const texts = ['{},'.repeat(5_000_000), '['.repeat(8_000_000), '"a",'.repeat(2_000_000)];
  const found = await Promise.all(texts.map((text) => check(reply('getSlot', `[${text}0]`))));
  expect(found).toEqual([undefined, undefined, undefined]);
  expect(await check(reply('getSlot', '{"jsonrpc":"2.0","id":1,"result":5}'))).toEqual([]);
  expect(failures).toEqual([]);
});

test('a thread that ended is reported, checks nothing for a minute, and is started again then', async () => {
  const program = new URL(
    'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { throw new Error("broken"); });',
  );
  const { check } = open(program);
  const sent = (): CheckRequest => reply('getSlot', '5');
  expect(await Promise.all([check(sent()), check(sent())])).toEqual([undefined, undefined]);
  expect(failures.map(({ message }) => message)).toEqual(['broken']);
  clock.nowMs = 59_999;
  expect(await check(sent())).toBe(undefined);
  expect(failures).toHaveLength(1);
  clock.nowMs = 60_000;
  expect(await check(sent())).toBe(undefined);
  expect(failures).toHaveLength(2);
});

test('a thread that cannot be started is reported, and harms nothing', async () => {
  const { check } = open(new URL('http://127.0.0.1/no-program'));
  expect([await check(reply('getSlot', '5')), await check(reply('getSlot', '5'))]).toEqual([
    undefined,
    undefined,
  ]);
  expect(failures).toHaveLength(1);
});

test('a thread that is closed checks nothing, and is not started again', async () => {
  const { check, close } = open();
  const request = check(reply('getSlot', '{"jsonrpc":"2.0","id":1,"result":5}'));
  await close();
  expect([undefined, []]).toContainEqual(await request);
  expect(await check(reply('getSlot', '5'))).toBe(undefined);
});
