import type { Webhook } from '../../../../generated/account/types.ts';

/** The status of a webhook in words. */
export type WebhookStanding = {
  readonly tone: 'good' | 'warn' | 'off' | 'bad';
  readonly word: string;
  readonly since?: string | undefined;
  /** The problem and its remedy; undefined without a problem. */
  readonly advice?: string;
};

type Standing = Pick<Webhook, 'state' | 'failing_since' | 'stopped_at'>;

/** Returns the status of a webhook. */
export function standingOf({ state, failing_since, stopped_at }: Standing): WebhookStanding {
  const since = stopped_at;
  switch (state) {
    case 'turned_off':
      return { tone: 'off', word: 'off', since };
    case 'gone':
      return {
        tone: 'bad',
        word: 'stopped',
        since,
        advice:
          'Its receiver answered 410. Once the receiver is back, turn the webhook on: it continues where it stopped.',
      };
    case 'exhausted':
      return {
        tone: 'bad',
        word: 'stopped',
        since,
        advice:
          'An event could not be delivered for three days. Fix the receiver, then turn the webhook on: it continues where it stopped.',
      };
    case 'active':
      return failing_since === undefined
        ? { tone: 'good', word: 'active' }
        : {
            tone: 'warn',
            word: 'failing',
            since: failing_since,
            advice: 'Events are waiting and are sent again. The deliveries show the answers.',
          };
  }
}
