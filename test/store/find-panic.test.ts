import { expect, test } from 'vitest';
import { findPanic } from '../../src/store/pglite/find-panic.ts';

function message(type: string, content: string): Buffer {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(content));
  bytes.write(type);
  bytes.writeInt32BE(bytes.length - 1, 1);
  bytes.write(content, 5);
  return bytes;
}

const error = (severity: string): Buffer => message('E', `S${severity}\0V${severity}\0C53100\0Mno room\0\0`);

test('finds a PANIC behind other answers', () => {
  expect(findPanic(Buffer.concat([message('D', 'row'), error('PANIC'), message('Z', 'I')]))).toBe('no room');
});

test('takes neither an error for one nor a row that looks like one', () => {
  const row = message('D', 'E\0\0\0\x20SPANIC\0VPANIC\0Mx\0\0');
  expect(findPanic(Buffer.concat([row, error('ERROR'), error('FATAL')]))).toBeUndefined();
  expect(findPanic(Buffer.alloc(0))).toBeUndefined();
});
