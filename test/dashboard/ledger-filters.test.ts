import { expect, test } from 'vitest';
import { printFilters, readFilters } from '../../src/dashboard/pages/webhooks/ledger-filters.ts';

const ADDRESS = 'SysvarC1ock11111111111111111111111111111111';
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

test('a line is an address or a signature by its length, or a program by its word', () => {
  const filters = readFilters([ADDRESS, SIGNATURE, `program  ${ADDRESS}`, `Program ${ADDRESS}`, 'nonsense']);
  expect(filters).toEqual([
    { kind: 'address', value: ADDRESS },
    { kind: 'signature', value: SIGNATURE },
    { kind: 'program', value: ADDRESS },
    { kind: 'program', value: ADDRESS },
    // The server says what is wrong with it.
    { kind: 'address', value: 'nonsense' },
  ]);
  expect(readFilters(printFilters(filters).split('\n'))).toEqual(filters);
});
