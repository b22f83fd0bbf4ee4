import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { NOT_SERVED, openPubsub } from '../../../src/gateway/nodes/pubsub-link.ts';
import { startScriptedPubsub } from '../../support/scripted-pubsub.ts';

const options = {
  connectTimeoutMs: 5_000,
  callTimeoutMs: 5_000,
  patienceMs: 5_000,
  onFailure: () => undefined,
  onMessage: undefined,
};

test('an attempt leaves nothing with the signal that ends it, whether it fails, is not served or opens', async () => {
  const nodes = await Promise.all([
    startScriptedPubsub(),
    startScriptedPubsub({ isServingSockets: false }),
    startScriptedPubsub(),
  ]);
  const [sound, unserved, gone] = nodes.map(({ url }) => url.replace('http', 'ws'));
  onTestFinished(() => Promise.all(nodes.slice(0, 2).map((node) => node.close())).then(() => undefined));
  await nodes[2]?.close();
  const over = new AbortController();
  const open = (url = '') => openPubsub(url, { ...options, over: over.signal });
  await expect(open(gone)).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(await open(unserved)).toBe(NOT_SERVED);
  const opened = await open(sound);
  expect(getEventListeners(over.signal, 'abort')).toEqual([]);
  if (opened !== NOT_SERVED) opened.end('stopped');
});
