import { expect, test } from 'vitest';
import { createSessionPool } from '../../../src/signer/hsm/pkcs11/token.ts';

test('no more than its size are in use, and it is idle when waiting callers are done too', async () => {
  let isIdle = false;
  const pool = createSessionPool({ size: 2, open: () => Buffer.alloc(1), close: () => undefined });
  const [one, two] = [await pool.acquire(), await pool.acquire()];
  const third = pool.acquire();
  const idle = pool.idle().then(() => {
    isIdle = true;
  });
  pool.release(one);
  pool.release(two);
  const session = await third;
  await pool.acquire().then(pool.release);
  expect(isIdle).toBe(false);
  pool.release(session);
  await idle;
});

test('a session that cannot be opened leaves its place to the next', async () => {
  let opens = 0;
  const open = () => {
    opens += 1;
    if (opens === 2) throw new Error('no session');
    return Buffer.alloc(1);
  };
  const pool = createSessionPool({ size: 1, open, close: () => undefined });
  const first = await pool.acquire();
  const [second, third] = [pool.acquire(), pool.acquire()];
  const refused = expect(second).rejects.toThrow('no session');
  pool.discard(first);
  await refused;
  pool.release(await third);
  await pool.idle();
});
