import { expect, test } from 'vitest';
import { pubsubAddresses } from '../../../src/core/config/node-address.ts';

test.each([
  ['http://node.example/', ['ws://node.example/']],
  ['https://node.example/path?key=1', ['wss://node.example/path?key=1']],
  ['http://127.0.0.1:8899/', ['ws://127.0.0.1:8899/', 'ws://127.0.0.1:8900/']],
  [
    'https://user:pass@node.example:9000/x?y',
    ['wss://user:pass@node.example:9000/x?y', 'wss://user:pass@node.example:9001/x?y'],
  ],
  ['https://node.example:442/', ['wss://node.example:442/', 'wss://node.example/']],
  ['http://node.example:65535/', ['ws://node.example:65535/']],
])('the WebSocket of %s is looked for at %j', (url, addresses) => {
  expect(pubsubAddresses({ url })).toEqual(addresses);
});

test('an address that was given is the only one', () => {
  expect(pubsubAddresses({ url: 'http://node.example:1/', wsUrl: 'wss://other.example/' })).toEqual([
    'wss://other.example/',
  ]);
});
