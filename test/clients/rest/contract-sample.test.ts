import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { ACCOUNT_CONTRACT } from '../../../generated/contract/account/contract.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { createKeyText } from '../../../src/account/identity/api-keys/key-text.ts';
import { runWalletContract } from '../../../src/devkit/contract/wallets/run-contract.ts';

/** The number of cases of each operation that are sent here; `make test-all` sends every case (test/wallets/live, test/account/api/live). */
const SENT = 2;

/** A session of a member without a second factor. */
const session = inject('session');
/** The values that a case may ask for here. Cases that need another one, or a state of the server, are left out. */
const VALUES: Readonly<Record<string, string>> = {
  token: inject('accessToken'),
  operator_token: inject('operatorToken'),
  session,
  enrolling_session: session,
  factor_session: session,
  unknown_token: createKeyText('ks_tok_'),
  unknown_session: 'A'.repeat(43),
  new_email: 'sample@example.com',
  two_factor_code: '000000',
};

const OPERATIONS = Object.entries({ ...WALLET_CONTRACT, ...ACCOUNT_CONTRACT });

const giveValue = async (name: string): Promise<string | undefined> =>
  VALUES[name] ?? (name.endsWith('_id') ? randomUUID() : undefined);
const needsSession = ({ request }: RestCase): boolean => request.session === '$session';

test.each(OPERATIONS)('%s refuses what its contract refuses', async (_, { cases }) => {
  const run = { baseUrl: inject('baseUrl'), value: giveValue };
  let sent = 0;
  // Some operations ask a member for a fresh second factor first, so what needs a session comes last.
  for (const item of cases.toSorted((a, b) => Number(needsSession(a)) - Number(needsSession(b)))) {
    if (sent === SENT || (sent > 0 && needsSession(item))) break;
    if (item.kind !== 'error') continue;
    const [result] = await runWalletContract(run, [item]);
    if (result === undefined || result.outcome === 'left-out') continue;
    sent += 1;
    expect([item.name, ...result.reasons]).toEqual([item.name]);
  }
  expect(sent).toBeGreaterThan(0);
});
