import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemberMail, type MemberMailParts } from '../../../src/account/email/member-mail.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A service whose work begins with its base URL, which it waits for. */
function setUp(resetDelayMs?: () => number) {
  const begun: PromiseWithResolvers<string>[] = [];
  const parts = {
    members: {},
    mailer: { close: () => undefined },
    outbox: {},
    log: { error: () => undefined },
    baseUrl: () => {
      const gate = Promise.withResolvers<string>();
      begun.push(gate);
      return gate.promise;
    },
    ...(resetDelayMs && { resetDelayMs }),
  };
  const mail = createMemberMail(parts as unknown as MemberMailParts);
  const request = (email: string) => mail.requestReset(email, { requestId: 'r', nowMs: 0 });
  return { begun, mail, request };
}

test('the work of a password reset begins one to five seconds after its request, not with it', async () => {
  const { begun, request } = setUp();
  for (let sent = 0; sent < 20; sent += 1) request(`ann${sent}@example.com`);
  await vi.advanceTimersByTimeAsync(999);
  expect(begun).toHaveLength(0);
  for (let step = 0; step < 100; step += 1) {
    begun.at(-1)?.reject(new Error('no address'));
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(begun).toHaveLength(20);
});

test('resets are worked on one after the other, and those that wait end with the server', async () => {
  const delays = [0, 0, 5_000];
  const { begun, mail, request } = setUp(() => delays.shift() ?? 0);
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) request(email);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toHaveLength(1);
  begun[0]?.reject(new Error('no address'));
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(2);
  const closed = mail.close();
  begun[1]?.reject(new Error('no address'));
  await closed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toHaveLength(2);
});
