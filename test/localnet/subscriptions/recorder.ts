import { checkParams } from '../../../generated/ledger/params.ts';
import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { parseJson } from '../../../src/core/rpc/json.ts';
import { LOCALNET_SUBSCRIPTIONS } from '../../../generated/ledger/localnet-subscriptions.ts';
import type { Subscribed } from '../../../src/localnet/subscriptions/subscription.ts';
import { SubscriptionHub } from '../../../src/localnet/subscriptions/subscription-hub.ts';
import type { TestLedger } from '../new-ledger.ts';

type Result = { readonly context: { readonly slot: number }; readonly value: unknown };
/** A notification; `openSlot`: the slot that was open when it was sent. */
export type Notified = { readonly result: Result; readonly openSlot: bigint };
export type Subscribe = (name: SubscriptionName, ...params: readonly unknown[]) => readonly Notified[];
type AnySubscription = (ledger: TestLedger['ledger'], ...params: readonly unknown[]) => Subscribed;

/** Subscribes in this process, each time as another subscriber; returns a list that grows with each notification. */
export function recorder({ ledger }: TestLedger): Subscribe {
  const hub = new SubscriptionHub(ledger);
  return (name, ...params) => {
    const violation = checkParams(name, params);
    if (violation !== undefined) throw new Error(`${name}: ${violation.error}`);
    const subscribed = (LOCALNET_SUBSCRIPTIONS[name] as AnySubscription)(ledger, ...params);
    const notified: Notified[] = [];
    const faults: unknown[] = [];
    const notify = (_id: number, text: Buffer): void => {
      const { result } = (parseJson(String(text)) as { params: { result: Result } }).params;
      notified.push({ result, openSlot: ledger.blocks.openSlot });
    };
    const fail = (error: unknown): void => void faults.push(error);
    hub.subscribe({ notify, fail }, name, subscribed, () => undefined);
    if (faults.length > 0) throw new Error(`${name} failed`, { cause: faults[0] });
    return notified;
  };
}
