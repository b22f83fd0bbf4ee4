import type { Webhook } from '../../../../generated/account/types.ts';

/** How a webhook stands, for people. */
export type WebhookStanding = {
  readonly tone: 'good' | 'warn' | 'off' | 'bad';
  readonly word: string;
  readonly since?: string | undefined;
  /** What is wrong and what to do; undefined: nothing is wrong. */
  readonly advice?: string;
};

type Standing = Pick<Webhook, 'state' | 'failing_since' | 'stopped_at'>;

/** Returns how a webhook stands. */
export function standingOf({ state, failing_since, stopped_at }: Standing): WebhookStanding {
  const since = stopped_at;
  switch (state) {
    case 'turned_off':
      return { tone: 'off', word: 'off', since };
    case 'gone':
      return {
        ...{ tone: 'bad', word: 'stopped', since },
        advice: 'Its receiver answered 410. If it is there again, turn it on: it goes on where it stopped.',
      };
    case 'exhausted':
      return {
        ...{ tone: 'bad', word: 'stopped', since },
        advice:
          'An event was not taken for three days. Mend the receiver, then turn it on: it goes on where it stopped.',
      };
    case 'active':
      return failing_since === undefined
        ? { tone: 'good', word: 'active' }
        : {
            ...{ tone: 'warn', word: 'failing', since: failing_since },
            advice: 'Events wait and are sent again; the deliveries say what was answered.',
          };
  }
}
