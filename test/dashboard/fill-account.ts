import { createAccountClient } from '../../generated/account/client.ts';
import { createWalletClient } from '../../generated/wallets/client.ts';
import type { MemberServer } from '../account/api/sessions/member-server.ts';
import { ledgerCallOf } from '../account/api/sessions/call-ledger.ts';
import { addCredit, command, createToken } from '../support/wallet-account.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';

/** An account that operates the server and has a little of everything, and the login of its owner. */
export type FilledAccount = { readonly email: string };

/** Fills an account, which may be there with invoices already: keys, tokens, a webhook that fails, wallets, calls, members, an invitation, a request for a higher limit. */
export async function fillAccount({ server, members }: MemberServer, name: string): Promise<FilledAccount> {
  const { dataDir, baseUrl } = server;
  const accountId = await members.accountIdOf(name);
  await command(dataDir, { kind: 'accounts.operator', account: name, operates: true });
  await addCredit(dataDir, name, '250');
  const owner = await members.newOwner(accountId, `ann@${name}.example`);
  for (const role of ['developer', 'billing'] as const) await members.newMember(owner, role);
  await members.newInvitation(owner);
  const { token } = await createToken(dataDir, name, { scopes: SCOPES });
  const account = createAccountClient({ url: baseUrl, token });
  const wallets = createWalletClient({ url: baseUrl, token });
  const { api_key } = await account.createKey({ name: 'checkout' });
  const old = await account.createKey({ name: 'reports', allowed_cidrs: ['10.0.0.0/8'] });
  await account.rotateKey(old.key_id, { overlap_seconds: 86_400 });
  await account.createToken({ name: 'deposits', scopes: ['wallets:create', 'wallets:read'] });
  await account.requestLimit({ limit: 'wallet_create', wanted: '5000', reason: 'A sale in May' });
  await account.createWebhook({
    name: 'billing system',
    url: 'https://keyslot.invalid/hook',
    events: ['wallet.*'],
  });
  const callLedger = ledgerCallOf(server);
  for (let sent = 0; sent < 20; sent++) await callLedger(api_key);
  for (const label of ['deposit 4711', 'deposit 4712'])
    await wallets.createWallet({ custody: 'managed', label });
  await wallets.createWallet({ custody: 'managed', label: 'treasury' });
  return { email: owner.email };
}
