import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { RestCase, RestCaseRequest } from '../../../../runtime/rest-case.ts';
import { WALLET_CONTRACT, type WalletValueName } from '../../../../generated/contract/wallets/contract.ts';
import type { Pace } from '../json-rpc.ts';
import {
  runWalletContract,
  type SendWalletRequest,
  type WalletResult,
  MissingValue,
} from '../wallets/run-contract.ts';
import {
  isRefusedAtOnce,
  askForValue,
  missing,
  oversizedText,
  rememberEach,
  textOf,
} from './prepare-value.ts';
import { sendAtPace } from './send-at-pace.ts';
import { reportOperations } from './wallet-reports.ts';
import type { PartReport } from './method-reports.ts';
import { createKeyText } from '../../../account/identity/api-keys/key-text.ts';

/** A wallet service for an outside caller. */
export type WalletTarget = {
  /** Its address, without /v1. */
  readonly baseUrl: string;
  readonly token: string;
  /** The secret of the account's second factor, in base-32. */
  readonly totp: string | undefined;
  readonly pace: Pace;
};

/**
 * Checks a wallet service against the contract with the means of an outside caller. Cases that write are left out unless allowed.
 *
 * @throws Error if the service cannot be reached or refuses the token; TypeError for an invalid `totp` secret.
 */
export async function runWallets(
  { baseUrl, token, totp, pace }: WalletTarget,
  allowWrites: boolean,
  clock: CodeClock,
): Promise<readonly PartReport[]> {
  const factor = totp === undefined ? undefined : createSecondFactor(totp, clock);
  const send = sendAtPace(baseUrl, pace);
  await assertTokenTaken(send, token);
  const value = createOutsideValues({ token, factor, allowWrites, send });
  const results: WalletResult[] = [];
  for (const item of Object.values(WALLET_CONTRACT).flatMap(({ cases }) => cases)) {
    const reason = whyLeftOut(item, { allowWrites, hasFactor: factor !== undefined });
    if (reason !== undefined) results.push({ case: item, outcome: 'left-out', reasons: [reason] });
    else {
      const run = { baseUrl, send, value: (name: Parameters<typeof value>[0]) => value(name, item) };
      results.push(...(await runWalletContract(run, [item])));
    }
  }
  return reportOperations(WALLET_CONTRACT, results);
}

type Means = { readonly allowWrites: boolean; readonly hasFactor: boolean };

/** Returns the reason to leave a case out; undefined if it is sent. */
function whyLeftOut(item: RestCase, { allowWrites, hasFactor }: Means): string | undefined {
  const { request, expect, before, condition } = item;
  if (condition !== undefined) return `it cannot be provoked from outside: ${condition}`;
  const mayWrite = before !== undefined || (request.method !== 'GET' && expect.kind !== 'problem');
  if (mayWrite && !allowWrites) return 'it writes (--allow-writes)';
  const isOfFactor = expect.kind === 'problem' && expect.code.startsWith('two_factor_');
  return isOfFactor && !hasFactor && !isRefusedAtOnce(item)
    ? 'the second factor of the account is not given (--totp)'
    : undefined;
}

/** Reads a missing wallet, to see if the server accepts the token. */
async function assertTokenTaken(send: SendWalletRequest, token: string): Promise<void> {
  const { status } = await send(
    { method: 'GET', path: `/v1/wallets/${NEVER_MADE}`, token, headers: {} },
    true,
  );
  if (status === 401) throw new Error('the wallet service refuses the token (HTTP 401)');
}

/** The access of an outside caller. */
type OutsideAccess = {
  readonly token: string;
  readonly factor: SecondFactor | undefined;
  /** True if the run may create and destroy wallets. */
  readonly allowWrites: boolean;
  readonly send: SendWalletRequest;
};

/** Returns the value of a name for a case. @throws MissingValue with the reason why the run lacks it. */
type OutsideValues = (name: WalletValueName, item: RestCase) => Promise<string>;

/** A valid id that is never assigned. */
export const NEVER_MADE = 'w_8iUJPsBQGcwe8SGq9nvuTc';
const NO_FACTOR = 'the second factor of the account is not given (--totp)';

/**
 * Creates the values that an outside run can have: the token, wallets created with it, and codes. Each wallet is created when a case
 * first needs it.
 */
export function createOutsideValues(access: OutsideAccess): OutsideValues {
  const { token, factor } = access;
  const once = rememberEach();
  let tree: Promise<Tree> | undefined;
  /** All cases share one destroyed wallet, because each destruction waits for a code. */
  const treeWithoutChild = (): Promise<Tree> => {
    tree ??= makeMaster(access).then(async (made) => {
      await destroy(access, made.child);
      return made;
    });
    return tree;
  };
  const makers: Partial<Readonly<Record<WalletValueName, (item: RestCase) => Promise<string>>>> = {
    token: async () => token,
    unknown_token: async () => createKeyText('ks_tok_'),
    oversized_text: async () => oversizedText(),
    fresh_key: async () => randomUUID(),
    wallet_id: () => once('wallet_id', () => makeWallet(access)),
    fresh_wallet_id: () => makeWallet(access),
    master_wallet_id: () => once('master_wallet_id', async () => (await makeMaster(access)).master),
    destroyed_wallet_id: async () => (await treeWithoutChild()).child,
    master_with_destroyed_child: async () => (await treeWithoutChild()).master,
    two_factor_code: async ({ expect }) => {
      if (factor === undefined) throw new MissingValue(NO_FACTOR);
      // A refusal uses up no code: the request is refused before its code is checked.
      return expect.kind === 'problem' ? factor.peek() : await takeCode(factor);
    },
    wrong_two_factor_code: async () => factor?.wrong() ?? missing(NO_FACTOR),
  };
  return async (name, item) => {
    if (isRefusedAtOnce(item)) {
      if (name.endsWith('wallet_id')) return NEVER_MADE;
      if (name === 'two_factor_code') return factor?.peek() ?? '000000';
    }
    const make = makers[name] ?? missing(`it needs a value that only the operator has: ${name}`);
    return await make(item);
  };
}

async function takeCode(factor: SecondFactor): Promise<string> {
  return (
    (await factor.take()) ?? missing('each code works once, and the run has waited for new ones long enough')
  );
}

async function makeWallet(access: OutsideAccess): Promise<string> {
  const { wallet_id: id } = await ask(access, 'POST', '/v1/wallets', { body: { custody: 'managed' } });
  return textOf(id, 'wallet_id');
}

type Tree = { readonly master: string; readonly child: string };

async function makeMaster(access: OutsideAccess): Promise<Tree> {
  const { master, wallets } = await ask(access, 'POST', '/v1/wallets/hd', { body: { custody: 'managed' } });
  const [child] = Array.isArray(wallets) ? wallets : [];
  return { master: textOf(member(master), 'wallet_id'), child: textOf(member(child), 'wallet_id') };
}

async function destroy(access: OutsideAccess, id: string): Promise<void> {
  const code = access.factor === undefined ? missing(NO_FACTOR) : await takeCode(access.factor);
  await ask(access, 'DELETE', `/v1/wallets/${id}`, { headers: { 'X-Two-Factor-Code': code } });
}

/** Calls an operation for a value. @throws MissingValue if the server refuses it. */
async function ask(
  { token, allowWrites, send }: OutsideAccess,
  method: string,
  path: string,
  parts: Partial<RestCaseRequest>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!allowWrites) missing('it needs a wallet that the run creates (--allow-writes)');
  return await askForValue(send, { method, path, token, ...parts });
}

const member = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'wallet_id' in value ? value.wallet_id : undefined;

/** The clock of codes. */
type CodeClock = { readonly nowMs: () => number; readonly pause: (ms: number) => Promise<unknown> };

/** The codes of an authenticator app (RFC 6238: SHA-1, 30 seconds, 6 digits). */
type SecondFactor = {
  /** Returns an unused code; waits for the next step if this one's is used. Undefined after too many waits. */
  readonly take: () => Promise<string | undefined>;
  /** Returns the current code, for a request that is refused before its code is checked. */
  readonly peek: () => string;
  /** Returns a code that is wrong for the current step and those around it. */
  readonly wrong: () => string;
};

const PERIOD_MS = 30_000;
/** A run waits five minutes for codes, at most. */
const MAX_WAITS = 10;
const STEPS_AROUND = [-3, -2, -1, 0, 1, 2, 3];
/** More codes than there are accepted steps, so that at least one is wrong. */
const SAME_DIGITS = ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'] as const;

/** Creates the second factor of an account from its secret. @throws TypeError if the secret is not base-32. */
export function createSecondFactor(secret: string, { nowMs, pause }: CodeClock): SecondFactor {
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: PERIOD_MS / 1_000, secret: read(secret) });
  const stepNow = (): number => Math.floor(nowMs() / PERIOD_MS);
  const codeOf = (step: number): string => totp.generate({ timestamp: step * PERIOD_MS });
  let taken = -1;
  let waits = 0;
  return {
    take: async () => {
      while (stepNow() <= taken) {
        if (waits === MAX_WAITS) return undefined;
        waits += 1;
        await pause((taken + 1) * PERIOD_MS - nowMs());
      }
      taken = stepNow();
      return codeOf(taken);
    },
    peek: () => codeOf(stepNow()),
    wrong: () => {
      const right = STEPS_AROUND.map((delta) => codeOf(stepNow() + delta));
      return SAME_DIGITS.find((code) => !right.includes(code)) ?? SAME_DIGITS[0];
    },
  };
}

function read(secret: string): Secret {
  try {
    return Secret.fromBase32(secret.replaceAll(' ', ''));
  } catch {
    throw new TypeError('--totp must be a secret in base-32');
  }
}
