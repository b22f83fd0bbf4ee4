import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS, EVENT_TYPES, parseWebhook, WebhookError } from '../../../generated/account/events.ts';
import { MEMBER_ACTIONS } from '../../../src/account/identity/members/audit-member.ts';
import { signEvent } from '../../../src/account/webhooks/sign-event.ts';
import { rounds } from '../../support/tier.ts';

const BODY = '{"type":"webhook.test","timestamp":"2026-01-15T09:30:00.000Z","data":{"webhook_id":"a"}}';
const NOW_MS = Date.UTC(2026, 0, 15, 9, 30);

const newSecret = () => {
  const bytes = randomBytes(32);
  return { bytes, text: `whsec_${bytes.toString('base64')}` };
};
const signed = (secrets: readonly Uint8Array[], body = BODY, atMs = NOW_MS) =>
  signEvent({ id: 'test_1', type: 'webhook.test', body }, secrets, atMs);

test('the official library reads what is signed, and this parser what it signs', async () => {
  const { bytes, text } = newSecret();
  const now = Date.now();
  expect(new Webhook(text).verify(BODY, signed([bytes], BODY, now))).toEqual(JSON.parse(BODY));
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ minLength: 1 }),
      async (id, value) => {
        const body = JSON.stringify({ type: 'a', timestamp: 'b', data: value });
        const headers = {
          'Webhook-Id': id,
          'Webhook-Timestamp': String(NOW_MS / 1_000),
          'Webhook-Signature': new Webhook(text).sign(id, new Date(NOW_MS), body),
        };
        expect(await parseWebhook({ body, headers, secret: text, nowMs: NOW_MS })).toEqual(JSON.parse(body));
      },
    ),
    { numRuns: rounds(50) },
  );
});

test('while a secret is replaced, receivers with either take the event', async () => {
  const [old, next] = [newSecret(), newSecret()];
  const headers = signed([next.bytes, old.bytes]);
  for (const { text } of [old, next])
    expect(await parseWebhook({ body: BODY, headers, secret: text, nowMs: NOW_MS })).toMatchObject({
      type: 'webhook.test',
    });
  const ofOld = signed([old.bytes]);
  const both = [next.text, old.text];
  expect(
    await parseWebhook({ body: BODY, headers: new Headers(ofOld), secret: both, nowMs: NOW_MS }),
  ).toMatchObject({
    data: { webhook_id: 'a' },
  });
});

test('what is signed late in a second is signed for the second that its header names', async () => {
  const { bytes, text } = newSecret();
  const nowMs = NOW_MS + 999;
  const headers = signed([bytes], BODY, nowMs);
  expect(headers['webhook-timestamp']).toBe(String(NOW_MS / 1_000));
  expect(await parseWebhook({ body: BODY, headers, secret: text, nowMs })).toMatchObject({
    type: 'webhook.test',
  });
});

test.each<readonly [string, Readonly<Record<string, unknown>>]>([
  ['another body', { body: BODY.replace('a"', 'b"') }],
  ['another secret', { secret: newSecret().text }],
  ['too late', { nowMs: NOW_MS + 301_000 }],
  ['too early', { nowMs: NOW_MS - 301_000 }],
  ['no headers', { headers: {} }],
])('a request is refused: %s', async (_name, change) => {
  const { bytes, text } = newSecret();
  const good = { body: BODY, headers: signed([bytes]), secret: text, nowMs: NOW_MS };
  expect(await parseWebhook(good)).toMatchObject({ type: 'webhook.test' });
  await expect(parseWebhook({ ...good, ...change })).rejects.toThrow(WebhookError);
});

test('a signature of another version, or that is no base64, counts for nothing', async () => {
  const { bytes, text } = newSecret();
  const headers = signed([bytes]);
  for (const signature of ['v1a,AAAA', 'v1,%%%', '', headers['webhook-signature'].replace('v1', 'v2')])
    await expect(
      parseWebhook({
        body: BODY,
        headers: { ...headers, 'webhook-signature': signature },
        secret: text,
        nowMs: NOW_MS,
      }),
    ).rejects.toThrow(WebhookError);
  await expect(parseWebhook({ body: BODY, headers, secret: '', nowMs: NOW_MS })).rejects.toThrow(TypeError);
});

test('each action that members are recorded with is an event', () => {
  expect(MEMBER_ACTIONS.filter((action) => !AUDIT_ACTIONS.includes(action))).toEqual([]);
  expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
});
