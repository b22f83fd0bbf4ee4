import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../server/start-gateway.ts';

// A cache in front may keep a 404 that does not forbid it (RFC 9111, section 4.2.2): asked for before an update, a new asset stayed missing.

const request = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`;

test.each([
  ['an asset that is none', request('/dashboard/assets/index-0.js'), 404],
  ['a path that is none', request('/none'), 404],
  ['another method', request('/healthz').replace('GET', 'DELETE'), 405],
  ['bytes that are no HTTP', 'x\r\n\r\n', 400],
  ['a head that is too large', request('/', `x: ${'x'.repeat(20_000)}\r\n`), 431],
  ['a head that is too large, for an asset', request('/v1/x', `x: ${'x'.repeat(20_000)}\r\n`), 431],
])('the refusal of %s', async (_, sent, status) => {
  const gateway = await startGateway({ nodeUrls: [] });
  onTestFinished(() => gateway.close());
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  socket.write(sent);
  const answer = await text(socket);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toMatch(/\r\ncache-control: no-store\r\n/i);
});
