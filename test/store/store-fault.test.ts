import pg from 'pg';
import { expect, test } from 'vitest';
import { withStoreFaults } from '../../src/store/store-errors.ts';
import { storeFaultOf } from '../../src/store/store-fault.ts';

function refusal(code: string, severity = 'ERROR', text = 'x'): Error {
  const error = new pg.DatabaseError(text, 1, 'error');
  error.code = code;
  error.severity = severity;
  return new Error('Failed query: insert the secret', { cause: error });
}

test.each([
  ['disk_full', refusal('53100')],
  ['disk_full', refusal('53100', 'PANIC')],
  ['disk_full', refusal('58030', 'ERROR', 'could not write: No space left on device')],
  ['disk_full', new Error('ENOSPC: no space left on the disk')],
  ['disk_full', new Error('x', { cause: new Error('EDQUOT: the disk quota is exceeded') })],
  ['read_only', refusal('25006')],
  ['read_only', new Error('EROFS: read-only file system')],
  ['damaged', refusal('XX001')],
  ['damaged', refusal('58P01')],
  ['exhausted', refusal('53300')],
  ['unreachable', refusal('57P01', 'FATAL')],
  ['unreachable', refusal('28P01', 'FATAL')],
  ['unreachable', refusal('40P01')],
  ['unreachable', new AggregateError([new Error('connect ECONNREFUSED')])],
  [undefined, refusal('42P01')],
  [undefined, refusal('23505')],
  [undefined, new TypeError('x is not a function')],
])('tells %s', (fault, error) => {
  expect(storeFaultOf(error)).toBe(fault);
});

test('what the store refused is another error than what it cannot do, and neither repeats what was to be stored', async () => {
  const codeOf = (error: Error) =>
    withStoreFaults('it', () => Promise.reject(error)).catch((thrown) => thrown);
  const [refused, full] = [await codeOf(refusal('42P01')), await codeOf(refusal('53100'))];
  expect([refused.code, full.code, full.context.fault]).toEqual([
    'storeRefused',
    'storeUnavailable',
    'disk_full',
  ]);
  expect(`${refused.message} ${full.message}`).not.toContain('secret');
});
