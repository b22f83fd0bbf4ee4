import { expect, test } from 'vitest';
import { createMask } from '../../../src/devkit/contract/command/options.ts';

const KEY = 'aB3'.repeat(8);

test.each([
  ['a plain address', 'http://127.0.0.1:8899/solana-localnet', 'http://127.0.0.1:8899/solana-localnet'],
  ['a query', 'https://node.example/rpc?apikey=x&api-key=y', 'https://node.example/rpc'],
  ['credentials', 'https://user:pass@node.example/', 'https://node.example/'],
  ['a key in the path', `https://node.example/v2/${KEY}/`, 'https://node.example/v2/…/'],
])('%s is shown without what may open it', (_what, address, shown) => {
  expect(createMask(new URL(address)).shownUrl).toBe(shown);
});

test('a text of the server does not quote what is secret of its address', () => {
  const { hide } = createMask(
    new URL(`https://us%2Fer:pa%20ss@node.example/v2/${KEY}?apikey=k1&token=t1&net=main`),
  );
  const quoted = `POST /v2/${KEY}?apikey=k1&token=t1&net=main by us/er us%2Fer, pa ss on main; key k1, token t1`;
  expect(hide(quoted)).toBe('POST /v2/…… by … …, … on main; key …, token …');
});

test('a text of the server moves no cursor', () => {
  expect(createMask(new URL('http://x/')).hide('a\u001b[2Jb\r\n\u0007')).toBe(
    'a\uFFFD[2Jb\uFFFD\uFFFD\uFFFD',
  );
});
