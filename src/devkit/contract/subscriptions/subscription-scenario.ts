import { base58 } from '@scure/base';
import { decodeTransaction } from '../../../core/wire/decode-transaction.ts';
import { call, type RpcTarget } from '../json-rpc.ts';
import type { ObservedScenario } from '../command/observe-scenario.ts';
import type { Scenario } from '../scenario.ts';

/** The position of the signature in a serialized transaction with one signature: after the count. */
const SIGNATURE_AT = [1, 65] as const;

/** A scenario, and the function that sends its pending transfers. */
export type NextTransfer = { readonly scenario: Scenario; readonly transfer: () => Promise<void> };

/**
 * Adds `$nextSignature`, of a transfer to the recipient, and `$nextVersion1Recipient`, the recipient of a version 1 transfer. Both are
 * signed now, and sent by `transfer`.
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

/** Returns the recipient of a transfer, which is its second account, after the payer. */
function recipientOf(transfer: string): string {
  const [, recipient] = decodeTransaction(Buffer.from(transfer, 'base64')).message.staticKeys;
  if (recipient === undefined) throw new Error('the transfer has no recipient');
  return recipient;
}

/** The observed values for a run without transfers: subscriptions are short, so other accounts will do. */
export function withoutTransfer({ value }: ObservedScenario): ObservedScenario {
  const instead: Readonly<Record<string, string>> = {
    recipient: 'wallet',
    dataProgram: 'wallet',
  };
  return { value: (name) => value(name) ?? value(instead[name] ?? name) };
}
