import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../src/base/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { createToken } from '../support/wallet-account.ts';

const WATCHED_MS = 4_000;
/** How much later `/healthz` may answer than a server that does nothing else, at the same moments. */
const MOST_LATER_MS = 200;
const BARE = `require('node:http').createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;

let server: RunningKeyslot;
let bare: NodeProcess;
let bareUrl: string;
let token: string;

beforeAll(async () => {
  server = await startKeyslot();
  bare = startNode(['-e', BARE], {});
  const port = await eventually('the bare server listens', () => bare.stdout().trim() || undefined);
  bareUrl = `http://127.0.0.1:${port}/`;
  ({ token } = await createToken(server.dataDir, 'acme'));
});
afterAll(async () => {
  await bare?.stop();
  await server?.stop();
});

/** Where bodies are sent, and the token that they are sent with. */
const DOORS: Readonly<Record<string, () => readonly string[]>> = {
  'JSON-RPC': () => [server.rpcUrl],
  'a WebSocket': () => [server.rpcUrl.replace('http', 'ws')],
  'the sign-in': () => [`${server.baseUrl}/account/v1/session`],
  'password resets': () => [`${server.baseUrl}/account/v1/password-resets`],
  'the account service': () => [`${server.baseUrl}/account/v1/keys`, token],
  'the wallet service': () => [`${server.baseUrl}/v1/wallets`, token],
};

describe.each(Object.keys(DOORS))('at %s nobody is held up by', (door) => {
  test.each([
    'a megabyte of opening brackets',
    'an object of 60,000 members',
    'a batch of 340,000 empty objects',
    'a call with 340,000 params',
    'a name of a megabyte',
  ])('%s', async (body) => {
    const attacker = startNode(['test/attack/send-bodies.ts', body, ...(DOORS[door]?.() ?? [])], {});
    try {
      await eventually('bodies are answered', () => attacker.stdout() || undefined);
      const { own, control } = await watch();
      const figures = `p99 of /healthz ${own.toFixed(0)} ms, of a bare server ${control.toFixed(0)} ms; answered ${attacker.stdout()}`;
      expect(own - control, figures).toBeLessThan(MOST_LATER_MS);
      console.log(door, body, figures.replaceAll('\n', ' '));
    } finally {
      await attacker.stop();
    }
  });
});

/** The 99th percentile of the time that `/healthz` takes, and a bare server at the same moments. */
async function watch(): Promise<{ readonly own: number; readonly control: number }> {
  const own: number[] = [];
  const control: number[] = [];
  const time = async (url: string, times: number[]): Promise<void> => {
    const startMs = performance.now();
    await (await fetch(url)).text();
    times.push(performance.now() - startMs);
  };
  for (const untilMs = performance.now() + WATCHED_MS; performance.now() < untilMs; await pause(5))
    await Promise.all([time(`${server.baseUrl}/healthz`, own), time(bareUrl, control)]);
  const p99 = (times: readonly number[]): number =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  return { own: p99(own), control: p99(control) };
}
