import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ReplyCollector, WHOLE_REPLY_BYTES } from '../../../../src/gateway/nodes/http/reply-collector.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a reply that comes byte by byte is held in little more than its size', async () => {
  const text = Buffer.from('{'.padEnd(WHOLE_REPLY_BYTES, 'x'));
  const collector = new ReplyCollector(Buffer.alloc(0), false);
  collectGarbage();
  const beforeBytes = process.memoryUsage().heapUsed;
  for (let at = 0; at < text.length; at += 1) collector.onData(text.subarray(at, at + 1));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - beforeBytes).toBeLessThan(8 * WHOLE_REPLY_BYTES);
  collector.onEnd();
  expect(await collector.reply).toEqual({ kind: 'whole', body: text });
});
