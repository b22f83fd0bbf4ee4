import type { RestCase } from '../../../runtime/rest-case.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import type { Pace } from '../json-rpc.ts';
import { runWalletContract, type SendWalletRequest, type WalletResult } from '../wallets/run-contract.ts';
import { createSecondFactor, type CodeClock } from './second-factor.ts';
import { isRefusedAtOnce } from './prepare-value.ts';
import { sendAtPace } from './send-at-pace.ts';
import { reportOperations } from './wallet-reports.ts';
import type { PartReport } from './method-reports.ts';
import { createOutsideValues, NEVER_MADE } from './wallet-values.ts';

/** A wallet service, as a caller from outside has it. */
export type WalletTarget = {
  /** Its address, without /v1. */
  readonly baseUrl: string;
  readonly token: string;
  /** The secret of the account's second factor, in base-32. */
  readonly totp: string | undefined;
  readonly pace: Pace;
};

/**
 * Holds a wallet service against the contract, with what a caller from outside can have. What writes is left out unless it is allowed.
 *
 * @throws Error when the service cannot be reached or refuses the token; TypeError for a `totp` that is no secret.
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

/** Why a case is not sent; undefined if it is. */
function whyLeftOut(item: RestCase, { allowWrites, hasFactor }: Means): string | undefined {
  const { request, expect, before, condition } = item;
  if (condition !== undefined) return `only from inside can it be brought about: ${condition}`;
  const mayWrite = before !== undefined || (request.method !== 'GET' && expect.kind !== 'problem');
  if (mayWrite && !allowWrites) return 'it writes (--allow-writes)';
  const isOfFactor = expect.kind === 'problem' && expect.code.startsWith('two_factor_');
  return isOfFactor && !hasFactor && !isRefusedAtOnce(item)
    ? 'the second factor of the account is not given (--totp)'
    : undefined;
}

/** Reads a wallet that is not there: only whether the token is taken counts. */
async function assertTokenTaken(send: SendWalletRequest, token: string): Promise<void> {
  const { status } = await send(
    { method: 'GET', path: `/v1/wallets/${NEVER_MADE}`, token, headers: {} },
    true,
  );
  if (status === 401) throw new Error('the wallet service refuses the token (HTTP 401)');
}
