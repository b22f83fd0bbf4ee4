import { expect, test } from 'vitest';
import { toError } from '../../src/store/pglite/thrown-error.ts';

test.each([
  [{ name: 'ErrnoError', errno: 51 }, 'ENOSPC: no space left on the disk'],
  [{ name: 'ErrnoError', errno: 69 }, 'EROFS: read-only file system'],
  [{ name: 'ErrnoError', errno: 4 }, 'the file system failed with errno 4'],
  [new TypeError('why'), 'why'],
  ['text', 'text'],
  [undefined, 'undefined'],
])('%o thrown by the store says "%s"', (thrown, message) => {
  expect(toError(thrown).message).toBe(message);
});
