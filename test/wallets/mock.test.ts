import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WALLET_CONTRACT } from '../../generated/contract/wallets/contract.ts';
import { startRestMock } from '../../src/mock/rest-mock.ts';
import { pathHere } from '../codegen/fixture.ts';
import { askMock, checkMockedService, type MockedService } from '../mock/check-mocked-service.ts';
import { type RunningMock, startMock } from '../support/keyslot.ts';

let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

const SERVICE: MockedService = {
  contract: WALLET_CONTRACT,
  baseUrl: () => mock.walletsUrl,
  // Prism takes any token, and knows no wallet from another.
  standIn: (name) => {
    if (name.endsWith('code')) return '123456';
    return name.includes('wallet_id') || name.startsWith('master') ? 'w_Mv1yfXSRds89fzXtB8iMzg' : 'stand-in';
  },
  // JSON Schema has no word for the end of a range; Prism does not know dependentRequired, and takes an empty query parameter for an
  // absent one.
  beyondPrism: /beyond the last index$| without mnemonic_words$|^\w+ empty$/,
};

checkMockedService(SERVICE);

test('an example that does not fit its schema is found', async () => {
  const text = await readFile(pathHere('../../generated/wallets/openapi.json'), 'utf8');
  const faulty = text.replace('"custody": "client", "secret', '"custody": "nobody", "secret');
  const wrong = await startRestMock('127.0.0.1', 0, faulty);
  try {
    const found = await Promise.all(
      Object.values(WALLET_CONTRACT)
        .flatMap(({ cases }) => cases)
        .filter(({ kind }) => kind === 'example')
        .map(async (item) => (await askMock(SERVICE, item, wrong.url)).headers.get('sl-violations')),
    );
    expect(found.filter((violations) => violations !== null).length).toBeGreaterThan(0);
  } finally {
    await wrong.close();
  }
});

test('a port that is taken is said to be', async () => {
  const port = Number(new URL(mock.walletsUrl).port);
  await expect(startRestMock('127.0.0.1', port)).rejects.toThrow(/uses the port.* --wallets-port/);
});
