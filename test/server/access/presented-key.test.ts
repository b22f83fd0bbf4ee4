import { expect, test } from 'vitest';
import { presentedKey } from '../../../src/server/access/authenticate.ts';

test.each([
  ['/p?apikey=abc', {}, 'abc'],
  ['/p?x=1&apikey=abc&apikey=def', {}, 'abc'],
  ['/p?apikey=a%62c', {}, 'abc'],
  ['/p', { 'x-api-key': 'abc' }, 'abc'],
  ['/p?apikey=', { 'x-api-key': 'abc' }, 'abc'],
  ['/p?apikey=abc', { 'x-api-key': 'def' }, 'abc'],
  ['/p?APIKEY=abc', {}, undefined],
  ['/p?apikey=', {}, undefined],
  ['/p', {}, undefined],
  ['/p#?apikey', {}, undefined],
])('%s with headers %j presents %s', (url, headers, key) => {
  expect(presentedKey({ url, headers })).toBe(key);
});
