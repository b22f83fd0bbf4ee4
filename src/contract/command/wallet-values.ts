import { randomUUID } from 'node:crypto';
import type { RestCase, RestCaseRequest } from '../../../runtime/rest-case.ts';
import type { WalletValueName } from '../../../generated/contract/wallets/contract.ts';
import { createKeyText } from '../../account/key-text.ts';
import { MissingValue } from '../wallets/send-case.ts';
import type { SendWalletRequest } from '../wallets/run-contract.ts';
import {
  askForValue,
  isRefusedAtOnce,
  missing,
  oversizedText,
  rememberEach,
  textOf,
} from './prepare-value.ts';
import type { SecondFactor } from './second-factor.ts';

/** What a caller from outside has. */
export type OutsideAccess = {
  readonly token: string;
  readonly factor: SecondFactor | undefined;
  /** Whether wallets may be made and destroyed. */
  readonly allowWrites: boolean;
  readonly send: SendWalletRequest;
};

/** The value behind a name, for a case. @throws MissingValue that says why there is none. */
export type OutsideValues = (name: WalletValueName, item: RestCase) => Promise<string>;

/** In the form of an id, and never given out. */
export const NEVER_MADE = 'w_8iUJPsBQGcwe8SGq9nvuTc';
const NO_FACTOR = 'the second factor of the account is not given (--totp)';

/**
 * The values that a run can have from outside: the token, wallets that it makes itself with it, and codes. Each wallet is made when
 * a case first needs it.
 */
export function createOutsideValues(access: OutsideAccess): OutsideValues {
  const { token, factor } = access;
  const once = rememberEach();
  const makers: Partial<Readonly<Record<WalletValueName, (item: RestCase) => Promise<string>>>> = {
    token: async () => token,
    unknown_token: async () => createKeyText('ks_tok_'),
    oversized_text: async () => oversizedText(),
    fresh_key: async () => randomUUID(),
    wallet_id: () => once('wallet_id', () => makeWallet(access)),
    fresh_wallet_id: () => makeWallet(access),
    master_wallet_id: () => once('master_wallet_id', async () => (await makeMaster(access)).master),
    destroyed_wallet_id: () =>
      once('destroyed_wallet_id', async () => await destroy(access, await makeWallet(access))),
    master_with_destroyed_child: () =>
      once('master_with_destroyed_child', async () => {
        const { master, child } = await makeMaster(access);
        await destroy(access, child);
        return master;
      }),
    two_factor_code: async (item) => {
      if (factor === undefined) throw new MissingValue(NO_FACTOR);
      return isRefusedAtOnce(item) ? factor.peek() : await takeCode(factor);
    },
    wrong_two_factor_code: async () => factor?.wrong() ?? missing(NO_FACTOR),
  };
  return async (name, item) => {
    if (isRefusedAtOnce(item)) {
      if (name.endsWith('wallet_id')) return NEVER_MADE;
      if (name === 'two_factor_code') return factor?.peek() ?? '000000';
    }
    const make = makers[name] ?? missing(`only the operator has: ${name}`);
    return await make(item);
  };
}

async function takeCode(factor: SecondFactor): Promise<string> {
  return (await factor.take()) ?? missing('each code works once, and new ones were waited for long enough');
}

async function makeWallet(access: OutsideAccess): Promise<string> {
  const { wallet_id: id } = await ask(access, 'POST', '/v1/wallets', { body: { custody: 'managed' } });
  return textOf(id, 'wallet_id');
}

async function makeMaster(
  access: OutsideAccess,
): Promise<{ readonly master: string; readonly child: string }> {
  const { master, wallets } = await ask(access, 'POST', '/v1/wallets/hd', { body: { custody: 'managed' } });
  const [child] = Array.isArray(wallets) ? wallets : [];
  return { master: textOf(member(master), 'wallet_id'), child: textOf(member(child), 'wallet_id') };
}

/** Destroys a wallet and answers its id. */
async function destroy(access: OutsideAccess, id: string): Promise<string> {
  const code = access.factor === undefined ? missing(NO_FACTOR) : await takeCode(access.factor);
  await ask(access, 'DELETE', `/v1/wallets/${id}`, { headers: { 'X-Two-Factor-Code': code } });
  return id;
}

/** Calls an operation for a value. @throws MissingValue when the server does not do it. */
async function ask(
  { token, allowWrites, send }: OutsideAccess,
  method: string,
  path: string,
  parts: Partial<RestCaseRequest>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!allowWrites) missing('it takes a wallet that the run makes (--allow-writes)');
  return await askForValue(send, { method, path, token, ...parts });
}

const member = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'wallet_id' in value ? value.wallet_id : undefined;
