import type { Timeline } from '../report.ts';
import type { Findings } from './findings.ts';

/** An event as a receiver reads it: a record of the audit log. */
export type ReceivedRecord = { readonly seq: number; readonly action: string; readonly wallet_id?: string };

/** The events that one webhook delivered. They may come again, and the first time of each counts. */
export class DeliveredEvents {
  readonly #deps: { readonly findings: Findings; readonly timeline: Timeline };
  readonly #account: string;
  readonly #actions = new Map<number, string>();
  readonly #lastOfWallet = new Map<string, number>();

  constructor(deps: { readonly findings: Findings; readonly timeline: Timeline }, account: string) {
    this.#deps = deps;
    this.#account = account;
  }

  /** Takes an event. Behind a later one of its wallet it must not come for the first time. */
  take({ seq, action, wallet_id: walletId }: ReceivedRecord): void {
    const { findings, timeline } = this.#deps;
    const isAgain = this.#actions.has(seq);
    timeline.count(isAgain ? 'events_delivered_again' : 'events_delivered');
    if (isAgain) return;
    this.#actions.set(seq, action);
    if (walletId === undefined) return;
    findings.check('disordered_delivery');
    const last = this.#lastOfWallet.get(walletId) ?? 0;
    if (seq < last)
      findings.break(
        'disordered_delivery',
        `${this.#account}: the event ${seq} of ${walletId} came first after its event ${last}`,
      );
    else this.#lastOfWallet.set(walletId, seq);
  }

  /** Notes an event that no secret of the webhook has signed. */
  refuse(): void {
    this.#deps.findings.break('lost_delivery', `${this.#account}: an event came without its signature`);
  }

  /** The action of a record that came; undefined while it has not. */
  actionOf(seq: number): string | undefined {
    return this.#actions.get(seq);
  }
}
