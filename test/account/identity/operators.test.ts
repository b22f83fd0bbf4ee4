import { expect, onTestFinished, test } from 'vitest';
import { followStore } from '../../../src/store/follow-store.ts';
import { type Role, ROLES } from '../../../generated/account/operations.ts';
import { mayGrant } from '../../../src/account/identity/members/role-scopes.ts';
import { OPERATOR_CHANNEL, readOperators, setOperates } from '../../../src/account/identity/operators.ts';
import { createToken } from '../../../src/account/identity/tokens/access-tokens.ts';
import { CUSTOMER_SCOPES, isOperatorScope, SCOPES } from '../../../src/account/identity/tokens/scopes.ts';
import { readTokens, TokenRing } from '../../../src/account/identity/tokens/token-ring.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores, useStore } from '../../store/backends.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';

const MANAGE = { name: 'ops', scopes: ['operator:manage', 'account:read'], expiresAtMs: undefined } as const;

/** The scopes that count for a token. */
function scopesOf(tokens: TokenRing, text: string): readonly string[] {
  const found = tokens.find(text, NOW_MS);
  return found.kind === 'valid' ? [...found.scopes] : [found.kind];
}

async function restarted(store: Store): Promise<TokenRing> {
  const tokens = new TokenRing();
  await readTokens(store, tokens, NOW_MS);
  await readOperators(store, tokens);
  return tokens;
}

test('a member gives a token no scope of which the own role may not call every operation', () => {
  const keptFrom = (role: Role) => ROLES[role].filter((scope) => !mayGrant(role, scope));
  expect(keptFrom('owner')).toEqual([]);
  expect(keptFrom('developer')).toEqual(['operator:read']);
});

test('tokens of customers may have all scopes but those of operators', () => {
  expect(SCOPES.filter(isOperatorScope)).toEqual(['operator:read', 'operator:manage', 'operator:payments']);
  expect(CUSTOMER_SCOPES).toEqual(SCOPES.filter((scope) => !scope.startsWith('operator:')));
});

describeStores('who operates the server', (backend) => {
  const store = backend.emptied();

  test('the scopes of an operator count while the account operates, here and after a restart', async () => {
    const deps = { store: store(), tokens: new TokenRing() };
    const accountId = await newCustomer(store());
    const refused = createToken(deps, { accountId, ...MANAGE }, NOW_MS);
    await expect(refused).rejects.toMatchObject({ code: 'accountNotOperator', context: { name: accountId } });
    expect(await setOperates(deps, { accountId, operates: true })).toBe(true);
    expect(await setOperates(deps, { accountId, operates: true })).toBe(false);
    const { text } = await createToken(deps, { accountId, ...MANAGE }, NOW_MS);
    const both = async () => [scopesOf(deps.tokens, text), scopesOf(await restarted(store()), text)];
    expect(await both()).toEqual([MANAGE.scopes, MANAGE.scopes]);
    await setOperates(deps, { accountId, operates: false });
    expect(await both()).toEqual([['account:read'], ['account:read']]);
  });

  test('a change is recorded once, in the transaction that makes it', async () => {
    const accountId = await newCustomer(store());
    const recorded: string[] = [];
    const record = async (_tx: unknown, id: string) => void recorded.push(id);
    const deps = { store: store(), tokens: new TokenRing(), record };
    for (const operates of [false, true, true, false]) await setOperates(deps, { accountId, operates });
    expect(recorded).toEqual([accountId, accountId]);
    const failing = { ...deps, record: () => Promise.reject(new Error('no record')) };
    await expect(setOperates(failing, { accountId, operates: true })).rejects.toThrow('no record');
    const { text } = await createToken(deps, { accountId, ...MANAGE, scopes: ['account:read'] }, NOW_MS);
    expect(scopesOf(await restarted(store()), text)).toEqual(['account:read']);
    await expect(createToken(deps, { accountId, ...MANAGE }, NOW_MS)).rejects.toThrow('does not operate');
  });

  if (backend.kind === 'pglite') return;

  test('every process learns of it without a restart', async () => {
    const place = backend.place();
    const [here, there] = [await useStore(place), await useStore(place)];
    const [ours, theirs] = [new TokenRing(), new TokenRing()];
    const following = await followStore(there.listen, {
      channel: OPERATOR_CHANNEL,
      read: (id) => readOperators(there, theirs, id),
    });
    onTestFinished(following.close);
    const deps = { store: here, tokens: ours };
    const accountId = await newCustomer(here);
    await setOperates(deps, { accountId, operates: true });
    const { text } = await createToken(deps, { accountId, ...MANAGE }, NOW_MS);
    await readTokens(there, theirs, NOW_MS);
    const becomes = (scopes: readonly string[]) =>
      expect.poll(() => scopesOf(theirs, text), { interval: 5 }).toEqual(scopes);
    await becomes(MANAGE.scopes);
    await setOperates(deps, { accountId, operates: false });
    await becomes(['account:read']);
  });
});
