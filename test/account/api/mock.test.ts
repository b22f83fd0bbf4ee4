import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT_CONTRACT } from '../../../generated/contract/account/contract.ts';
import { OPERATIONS } from '../../../generated/account/operations.ts';
import { credentialsOf } from '../../../src/devkit/contract/wallets/run-contract.ts';
import { checkMockedService } from '../../devkit/mock/check-mocked-service.ts';
import { type RunningMock, startMock } from '../../support/keyslot.ts';

const ID = '00000000-0000-4000-8000-000000000000';

let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

checkMockedService({
  contract: ACCOUNT_CONTRACT,
  baseUrl: () => mock.accountUrl,
  // The mock takes any token and any session, and knows no account from another.
  standIn: (name) => {
    if (name.endsWith('_id')) return ID;
    if (name.endsWith('code')) return '123456';
    if (name.startsWith('work_')) return '2026-01-17T02:00:00Z';
    return name.endsWith('email') ? 'ann@example.com' : 'long-enough-stand-in';
  },
});

describe.each(Object.entries(OPERATIONS))('%s', (_, { method, path, auth }) => {
  const kinds: readonly string[] = auth;

  test.each([
    ['nothing', kinds.length === 0, {}],
    ['a token', kinds.includes('token'), { token: 'any' }],
    ['a session', kinds.includes('session'), { session: 'any' }],
  ])('takes %s as the document says: %s', async (_kind, isTaken, given) => {
    const headers = credentialsOf(mock.accountUrl, { method, path, token: 'none', headers: {}, ...given });
    const response = await fetch(`${mock.accountUrl}${path.replace(/\{\w+\}/, ID)}`, { method, headers });
    const isRefused = response.headers.get('sl-violations')?.includes('Invalid security scheme') === true;
    expect(isRefused).toBe(kinds.length > 0 && !isTaken);
  });
});

test('is on the port of the wallet service', () => {
  expect(mock.accountUrl).toBe(mock.walletsUrl);
});
