import { expect, test } from 'vitest';
import { nodeNames } from '../../src/upstream/node-names.ts';

test('nodes are called by host and port, without users, paths and queries; those of one host are numbered', () => {
  const urls = [
    'https://user:password@rpc.example.com/v2/the-key?token=secret',
    'http://127.0.0.1:8899',
    'https://rpc.example.com/other',
    'https://rpc.example.com:443/',
    'http://[::1]:8899/',
  ];
  expect(nodeNames(urls)).toEqual([
    'rpc.example.com',
    '127.0.0.1:8899',
    'rpc.example.com#2',
    'rpc.example.com#3',
    '[::1]:8899',
  ]);
});
