import { textTable } from './text-table.ts';

type Webhook = {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: string;
  readonly position: number;
  readonly waiting: number;
};
type WithSecret = Webhook & { readonly secret: string };

const HEAD = ['ID', 'NAME', 'URL', 'EVENTS', 'STATE', 'POSITION', 'WAITING'] as const;
const ONCE = 'Copy the secret now: it is not shown again.\n';

/** The texts of the results of requests about webhooks. */
export const WEBHOOK_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'webhooks.list': ({ webhooks }: { readonly webhooks: readonly Webhook[] }) =>
    webhooks.length === 0
      ? 'The account has no webhooks.\n'
      : textTable(
          HEAD,
          webhooks.map(({ id, name, url, events, state, position, waiting }) => [
            ...[id, name, url, events.join(' ') || 'all', state, String(position), String(waiting)],
          ]),
          ['POSITION', 'WAITING'],
        ),
  'webhooks.create': ({ id, secret }: WithSecret) => `Created the webhook ${id}.\n${secret}\n${ONCE}`,
  'webhooks.rotate': ({ id, secret }: WithSecret) =>
    `Replaced the secret of the webhook ${id}.\n${secret}\n${ONCE}`,
  'webhooks.set': ({ id, state }: Webhook) => `The webhook ${id} is ${state.replace('_', ' ')}.\n`,
  'webhooks.replay': ({ id, position }: Webhook) =>
    `The webhook ${id} sends again what is behind record ${position}.\n`,
  'webhooks.test': ({ id, event_id: eventId }: { readonly id: string; readonly event_id: string }) =>
    `Sends the event ${eventId} to the webhook ${id}.\n`,
  'webhooks.delete': ({ id, name }: Webhook) => `Deleted the webhook ${id} (${name}).\n`,
};
