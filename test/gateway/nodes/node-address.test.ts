import { expect, test } from 'vitest';
import { readNodeAddress } from '../../../src/core/config/node-address.ts';

test('an address is taken apart; credentials become a header and leave the rest', () => {
  expect(readNodeAddress('https://me:p%40ss@node.example:8443/rpc?key=1')).toEqual({
    origin: 'https://node.example:8443',
    path: '/rpc?key=1',
    authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
  });
  expect(readNodeAddress('http://node.example')).toEqual({
    origin: 'http://node.example',
    path: '/',
    authorization: undefined,
  });
});

test.each(['http://', 'http://no de/', 'http://a:99999/', 'http://u%zz@a/', 'ftp://a/', 'a.example'])(
  '%s is none',
  (text) => {
    expect(readNodeAddress(text)).toBeUndefined();
  },
);
