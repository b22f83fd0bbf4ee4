import { base58 } from '@scure/base';
import { call, type RpcTarget } from '../../support/json-rpc.ts';
import type { ObservedScenario } from '../command/observe-scenario.ts';
import type { Scenario } from '../scenario.ts';

/** Where a serialized transaction of one signature has it: behind the count of them. */
const SIGNATURE_AT = [1, 65] as const;

/** A scenario, and what makes the transfer in it that was not sent yet. */
export type NextTransfer = { readonly scenario: Scenario; readonly transfer: () => Promise<void> };

/**
 * The scenario with `$nextSignature`: that of a transfer to the recipient which is signed now, and sent by `transfer`.
 */
export async function withNextTransfer(target: RpcTarget, scenario: Scenario): Promise<NextTransfer> {
  const signed = String(await scenario.value('signedTransfer64'));
  const nextSignature = base58.encode(Buffer.from(signed, 'base64').subarray(...SIGNATURE_AT));
  return {
    scenario: {
      value: async (name) => (name === 'nextSignature' ? nextSignature : await scenario.value(name)),
    },
    transfer: async () => {
      await call(target, 'sendTransaction', [signed, { encoding: 'base64', skipPreflight: true }]);
    },
  };
}

/** What could be read, for a run that makes no transfer: nothing is subscribed to for long, so that other accounts will do. */
export function withoutTransfer({ value }: ObservedScenario): ObservedScenario {
  const instead: Readonly<Record<string, string>> = {
    recipient: 'wallet',
    dataProgram: 'wallet',
  };
  return { value: (name) => value(name) ?? value(instead[name] ?? name) };
}
