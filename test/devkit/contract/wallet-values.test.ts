import { expect, test } from 'vitest';
import type { RestCase, RestCaseRequest } from '../../../runtime/rest-case.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import {
  createSecondFactor,
  createOutsideValues,
  NEVER_MADE,
} from '../../../src/devkit/contract/command/run-wallets.ts';

const TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** A wallet service that makes what it is asked for, and what it was asked. */
function scripted({ status = 200, body = {} }: { readonly status?: number; readonly body?: object } = {}) {
  const asked: RestCaseRequest[] = [];
  const send = async (request: RestCaseRequest) => {
    asked.push(request);
    const id = `w_${asked.length}`;
    const made = { wallet_id: id, master: { wallet_id: `${id}m` }, wallets: [{ wallet_id: `${id}c` }] };
    return { status, headers: new Headers(), text: JSON.stringify({ ...made, ...body }) };
  };
  return { asked, send };
}

function clock() {
  let nowMs = 0;
  const pause = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  return { nowMs: () => nowMs, pause };
}

const caseOf = (name: string): RestCase => {
  const found = WALLET_CONTRACT.destroyWallet.cases.find((item) => item.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
};
const DESTROYED = caseOf('destroyed');

const outside = (send: ReturnType<typeof scripted>['send'], options = {}) =>
  createOutsideValues({
    token: 'the token',
    allowWrites: true,
    send,
    factor: createSecondFactor(TOTP_SECRET, clock()),
    ...options,
  });

test('a wallet that may be destroyed is another one each time, others are made once', async () => {
  const { send, asked } = scripted();
  const value = outside(send);
  const names = ['fresh_wallet_id', 'wallet_id', 'wallet_id', 'fresh_wallet_id'] as const;
  const found: string[] = [];
  for (const name of names) found.push(await value(name, DESTROYED));
  expect(found).toEqual(['w_1', 'w_2', 'w_2', 'w_3']);
  expect(asked.map(({ token, method, path }) => `${token}: ${method} ${path}`)).toEqual(
    asked.map(() => 'the token: POST /v1/wallets'),
  );
});

test('a master whose child is destroyed is made with two requests and a code that was not used before', async () => {
  const { send, asked } = scripted();
  const value = outside(send);
  const before = await value('two_factor_code', DESTROYED);
  expect(await value('master_with_destroyed_child', DESTROYED)).toBe('w_1m');
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/wallets/hd',
    'DELETE /v1/wallets/w_1c',
  ]);
  expect(asked[1]?.headers['X-Two-Factor-Code']).not.toBe(before);
});

test('a destroyed wallet is the child of that master, and a refusal for something else uses up no code: a run waits for one at most', async () => {
  const { send, asked } = scripted();
  const time = clock();
  const value = outside(send, { factor: createSecondFactor(TOTP_SECRET, time) });
  const cases = WALLET_CONTRACT.destroyWallet.cases.filter((item) => item.condition === undefined);
  for (const item of cases) await value('two_factor_code', item);
  expect(await value('destroyed_wallet_id', DESTROYED)).toBe('w_1c');
  expect(await value('master_with_destroyed_child', DESTROYED)).toBe('w_1m');
  expect(asked).toHaveLength(2);
  expect(time.nowMs()).toBe(30_000);
});

test('where the token is refused no wallet is made and no code used up', async () => {
  const { send, asked } = scripted();
  const value = outside(send);
  const refused = caseOf('tokenMissing');
  const codes = [await value('two_factor_code', refused), await value('two_factor_code', refused)];
  expect(await value('fresh_wallet_id', refused)).toBe(NEVER_MADE);
  expect([asked, codes[0]]).toEqual([[], codes[1]]);
});

test.each([
  [
    'without leave to write',
    { allowWrites: false },
    {},
    'it needs a wallet that the run creates (--allow-writes)',
  ],
  [
    'from a server that refuses it',
    {},
    { status: 402, body: { code: 'balance_insufficient' } },
    'the run could not prepare it: POST /v1/wallets answered 402 balance_insufficient',
  ],
  ['from an answer that lacks it', {}, { body: { wallet_id: 7 } }, 'the answer lacks wallet_id'],
] as const)('there is no wallet %s, and the reason is told', async (_, access, answer, reason) => {
  const { send } = scripted(answer);
  await expect(outside(send, access)('wallet_id', DESTROYED)).rejects.toThrow(reason);
});

test('without a second factor nothing is destroyed, and the reason is told', async () => {
  const { send } = scripted();
  const value = outside(send, { factor: undefined });
  for (const name of ['two_factor_code', 'wrong_two_factor_code', 'destroyed_wallet_id'] as const)
    await expect(value(name, DESTROYED)).rejects.toThrow('(--totp)');
});

test('what only the operator has is not made up', async () => {
  await expect(outside(scripted().send)('other_wallet_id', DESTROYED)).rejects.toThrow(
    'it needs a value that only the operator has: other_wallet_id',
  );
});
