import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { createToken } from '../support/wallet-account.ts';

const WATCHED_MS = 1_000;
/**
 * `/healthz` may take as long as this, besides ten times what a bare server takes that is sent the same and discards it: a machine that is
 * busy makes both slow. It took thirty times as long, seconds, when bodies were parsed as they came.
 */
const MOST_MS = 200;
/** A bare server that takes longer shows that something else holds the machine up. */
const BUSY_MS = 50;
const MOST_TIMES = 10;
const BARE = `require('node:http').createServer((request, response) => request.resume().on('end', () => response.end('ok')))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;

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
  'gRPC, Subscribe': () => [
    `grpc+${server.grpcUrl}/keyslot.stream.v1.StreamService/Subscribe`,
    server.apiKey,
  ],
  'gRPC, reflection': () => [
    `grpc+${server.grpcUrl}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`,
  ],
  'the wallet service': () => [`${server.baseUrl}/v1/wallets`, token],
};

const BODIES = [
  'a megabyte of opening brackets',
  'an object of 60,000 members',
  'a batch of 340,000 empty objects',
  'a call with 340,000 params',
  'a name of a megabyte',
];

/** Answers of open doors and of gRPC to such a body: they refuse it by its size, before they read it. */
const REFUSED: Readonly<Record<string, string>> = {
  'the sign-in': '413',
  'password resets': '413',
  'gRPC, Subscribe': 'status 8',
  'gRPC, reflection': 'status 8',
};

// Each body at one door, and the one that was worst at all others.
test.each([
  ...BODIES.map((body) => ['JSON-RPC', body] as const),
  ...Object.keys(DOORS)
    .slice(1)
    .map((door) => [door, 'a megabyte of opening brackets'] as const),
  ['the sign-in', 'an object of 60,000 members'] as const,
  ['password resets', 'an object of 60,000 members'] as const,
])('at %s nobody is held up by %s', (door, body) => holdsNobodyUp(door, body));

test('at a WebSocket nobody is held up by subscribe calls, thousands at a time', () =>
  holdsNobodyUp('a WebSocket', 'subscribe calls'));

/** Watches a bare server and then this one, each while it is sent the same; on a machine that is busy with something else, up to three times. */
async function holdsNobodyUp(door: string, body: string, triesLeft = 2): Promise<void> {
  const control = await p99During([bareUrl], body, bareUrl);
  const own = await p99During(DOORS[door]?.() ?? [], body, `${server.baseUrl}/healthz`);
  const figures = `p99 ${own.ms.toFixed(0)} ms, of a bare server ${control.ms.toFixed(0)} ms; answered ${own.answers}`;
  console.log(`${door}, ${body}: ${figures}`);
  expect(own.answers).toContain(REFUSED[door] ?? '');
  const mostMs = MOST_MS + MOST_TIMES * control.ms;
  if (own.ms >= mostMs && control.ms > BUSY_MS && triesLeft > 0)
    return holdsNobodyUp(door, body, triesLeft - 1);
  expect(own.ms, figures).toBeLessThan(mostMs);
}

/** The 99th percentile of the time that a server takes to answer while bodies are sent to it. */
async function p99During(target: readonly string[], body: string, watched: string) {
  const attacker = startNode(['test/attack/send-bodies.ts', body, ...target], {});
  try {
    await eventually('bodies are answered', () => attacker.stdout() || undefined);
    const times: number[] = [];
    for (const untilMs = performance.now() + WATCHED_MS; performance.now() < untilMs; await pause(5)) {
      const startMs = performance.now();
      await (await fetch(watched)).text();
      times.push(performance.now() - startMs);
    }
    const sorted = times.toSorted((a, b) => a - b);
    return {
      ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      answers: attacker.stdout().replaceAll('\n', ' '),
    };
  } finally {
    await attacker.stop();
  }
}
