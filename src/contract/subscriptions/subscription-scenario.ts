import { base58 } from '@scure/base';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { call, type RpcTarget } from '../json-rpc.ts';
import type { ObservedScenario } from '../command/observe-scenario.ts';
import type { Scenario } from '../scenario.ts';

/** Where a serialized transaction of one signature has it: behind the count of them. */
const SIGNATURE_AT = [1, 65] as const;

/** A scenario, and what makes the transfers in it that were not sent yet. */
export type NextTransfer = { readonly scenario: Scenario; readonly transfer: () => Promise<void> };

/**
 * The scenario with `$nextSignature`, of a transfer to the recipient, and `$nextVersion1Recipient`, whom one of version 1 pays:
 * both are signed now, and sent by `transfer`.
 */
export async function withNextTransfer(target: RpcTarget, scenario: Scenario): Promise<NextTransfer> {
  const signed = String(await scenario.value('signedTransfer64'));
  const nextSignature = base58.encode(Buffer.from(signed, 'base64').subarray(...SIGNATURE_AT));
  const signedVersion1 = String(await scenario.value('signedVersion1'));
  const next: Readonly<Record<string, string>> = {
    nextSignature,
    nextVersion1Recipient: recipientOf(signedVersion1),
  };
  const send = (transaction: string): Promise<unknown> =>
    call(target, 'sendTransaction', [transaction, { encoding: 'base64', skipPreflight: true }]);
  return {
    scenario: { value: async (name) => next[name] ?? (await scenario.value(name)) },
    transfer: async () => {
      await Promise.all([send(signed), send(signedVersion1)]);
    },
  };
}

/** Whom a transfer pays: its payer is the first account, its recipient the next. */
function recipientOf(transfer: string): string {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(transfer, 'base64'));
  const [, recipient] = getCompiledTransactionMessageDecoder().decode(messageBytes).staticAccounts;
  if (recipient === undefined) throw new Error('the transfer pays nobody');
  return recipient;
}

/** What could be read, for a run that makes no transfer: nothing is subscribed to for long, so that other accounts will do. */
export function withoutTransfer({ value }: ObservedScenario): ObservedScenario {
  const instead: Readonly<Record<string, string>> = {
    recipient: 'wallet',
    dataProgram: 'wallet',
  };
  return { value: (name) => value(name) ?? value(instead[name] ?? name) };
}
