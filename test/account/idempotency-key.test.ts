import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIdempotency, readIdempotencyKey } from '../../src/account/idempotency/idempotency.ts';
import { newInstallationKey } from './test-installation-key.ts';

test('a fingerprint depends on every part, on where it ends, and on the installation', async () => {
  const [idempotency, other] = [await newInstallationKey(), await newInstallationKey()].map(
    (installationKey) => createIdempotency({ ownerId: randomUUID(), installationKey }),
  );
  if (idempotency === undefined || other === undefined) throw new Error('none made');
  const prints = [
    idempotency.fingerprint('a', 'bc'),
    idempotency.fingerprint('ab', 'c'),
    idempotency.fingerprint('abc'),
    idempotency.fingerprint('a', 'bc', ''),
    other.fingerprint('a', 'bc'),
  ].map((print) => Buffer.from(print).toString('hex'));
  expect(new Set(prints).size).toBe(prints.length);
  expect(idempotency.fingerprint('a', Buffer.from('bc'))).toEqual(idempotency.fingerprint('a', 'bc'));
});

test('a key has 1 to 255 characters of printable ASCII', () => {
  for (const key of ['a', '!~', 'x'.repeat(255)]) expect(readIdempotencyKey(key)).toBe(key);
  for (const key of ['', 'x'.repeat(256), 'a b', 'ä', 'a\n', '\u007f'])
    expect(() => readIdempotencyKey(key)).toThrow('1 to 255 visible ASCII characters');
});
