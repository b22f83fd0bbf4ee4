import { expect, test } from 'vitest';
import { chooseExample } from '../../../src/devkit/mock/choose-example.ts';

const EXAMPLES = {
  names: ['client', 'words', 'managed', 'more', 'answer-only'],
  requests: {
    client: {},
    words: { mnemonic_words: 12, derivation_path: 'm' },
    managed: { custody: 'managed', label: 'deposit' },
    more: { master_wallet_id: 'w_1', accounts: { start: 1, count: 1 } },
    csv: { custody: 'managed', format: 'csv' },
  },
};

test.each([
  [{}, 'client'],
  [{ custody: 'client' }, 'client'],
  [{ mnemonic_words: 12 }, 'words'],
  [{ mnemonic_words: 24 }, 'words'],
  [{ custody: 'managed' }, 'managed'],
  [{ custody: 'managed', label: 'other' }, 'managed'],
  [{ master_wallet_id: 'w_2' }, 'more'],
  [{ custody: 'managed', format: 'csv' }, 'managed'],
])('%o is answered by %s', (body, name) => {
  expect(chooseExample(EXAMPLES, body)).toBe(name);
});

test('no example of another custody answers', () => {
  expect(chooseExample({ ...EXAMPLES, names: ['client', 'words'] }, { custody: 'managed' })).toBeUndefined();
});
