import type { CreateWebhookRequest, Webhook } from '../../../generated/account/types.ts';
import { wantsLedger } from '../../account/webhooks/ledger/ledger-fact.ts';
import {
  filterFault,
  LEDGER_FILTER_KINDS,
  MAX_FILTERS,
} from '../../account/webhooks/ledger/ledger-filter.ts';
import { isEventPattern } from '../../account/webhooks/wanted-types.ts';
import { mistake, readOverlap, readText } from '../../operate/admin/admin-request.ts';
import { type Columns, tableOf } from '../text-table.ts';
import { type Action, type Given, operation, readCount, readDuration } from './action.ts';

/** The commands about webhooks. */
export const WEBHOOK_ACTIONS = {
  'webhooks list': ({ words: [account = ''] }: Given) =>
    operation(
      { operation: 'listWebhooks', account },
      ({ webhooks }) => ({ webhooks: webhooks.map(show) }),
      ({ webhooks }) =>
        webhooks.length === 0 ? 'The account has no webhooks.\n' : tableOf(COLUMNS, webhooks),
    ),
  'webhooks create': createWebhook,
  'webhooks set': ({ words: [id = ''], options: { on, off } }: Given) => {
    if ((on === true) === (off === true)) throw mistake('expected --on or --off');
    return operation(
      { operation: 'updateWebhook', id, body: { active: on === true } },
      show,
      ({ state }) => `The webhook ${id} is ${state.replace('_', ' ')}.\n`,
    );
  },
  'webhooks rotate': ({ words: [id = ''], options }: Given) => {
    const overlapMs = readOverlap(readDuration('overlap', options));
    return operation(
      { operation: 'rotateWebhookSecret', id, body: { overlap_seconds: overlapMs / 1_000 } },
      ({ secret, ...webhook }) => ({ ...show(webhook), secret }),
      ({ secret }) => `Replaced the secret of the webhook ${id}.\n${secret}\n${ONCE}`,
    );
  },
  'webhooks replay': ({ words: [id = ''], options: { from } }: Given) => {
    const seq = from === undefined ? undefined : readCount(String(from));
    if (typeof seq !== 'number' || seq < 1)
      throw mistake(`--from must be the number of a record, from 1, got ${JSON.stringify(seq)}`);
    return operation(
      { operation: 'replayWebhook', id, body: { from_seq: seq } },
      show,
      ({ position }) => `The webhook ${id} sends the events after record ${position} again.\n`,
    );
  },
  'webhooks test': ({ words: [id = ''] }: Given) =>
    operation(
      { operation: 'testWebhook', id },
      ({ delivery_id, event_id }) => ({ id, delivery_id, event_id }),
      ({ event_id: eventId }) => `Sending the event ${eventId} to the webhook ${id}.\n`,
    ),
  'webhooks delete': ({ words: [id = ''] }: Given) =>
    operation(
      { operation: 'deleteWebhook', id },
      show,
      ({ name }) => `Deleted the webhook ${id} (${name}).\n`,
    ),
} satisfies Record<string, (given: Given) => Action>;

const COLUMNS: Columns<ReturnType<typeof show>> = {
  ID: 'id',
  NAME: 'name',
  URL: 'url',
  EVENTS: ({ events }) => events.join(' ') || 'all',
  STATE: 'state',
  '>POSITION': 'position',
  '>WAITING': 'waiting',
};
const NETWORK = /^[a-z][a-z0-9]*-(localnet|devnet|testnet|mainnet)$/;
const ONCE = 'Copy the secret now: it is not shown again.\n';

function createWebhook({ words: [account = ''], options, lists }: Given): Action {
  const { network } = options;
  const name = readText(options.name, '--name');
  const url = readText(options.url, '--url');
  const events = lists.event ?? [];
  const unknown = events.find((pattern) => !isEventPattern(pattern));
  if (unknown !== undefined)
    throw mistake(`--event must be a type of event such as wallet.sign, or wallet.*; got ${unknown}`);
  const ledger = readLedger(options, lists, events);
  const body = {
    name,
    url: URL.canParse(url) ? new URL(url).href : url,
    events: [...events],
    ordered: options.ordered === true,
    ...(ledger && { ledger }),
  };
  return {
    ...operation(
      { operation: 'createWebhook', account, body },
      ({ secret, ...webhook }) => ({ ...show(webhook), secret }),
      ({ id, secret }) => `Created the webhook ${id}.\n${secret}\n${ONCE}`,
    ),
    toMistake: (error) => {
      const errors = (error.context.errors ?? []) as readonly {
        readonly pointer: string;
        readonly detail: string;
      }[];
      const fault = errors.find(({ pointer }) => pointer === '/ledger/network');
      return fault === undefined ? error : mistake(`--network ${fault.detail}; got ${String(network)}`);
    },
  };
}

function readLedger(
  { network, commitment }: Given['options'],
  lists: Given['lists'],
  events: readonly string[],
): CreateWebhookRequest['ledger'] {
  const filters = LEDGER_FILTER_KINDS.flatMap((kind) =>
    (lists[kind] ?? []).map((value) => ({ kind, value })),
  );
  if (filters.length === 0) {
    if (network === undefined && commitment === undefined) return undefined;
    throw mistake('--network and --commitment need --address, --program or --signature');
  }
  if (filters.length > MAX_FILTERS)
    throw mistake(
      `--address, --program and --signature may be given ${MAX_FILTERS} times, got ${filters.length}`,
    );
  for (const filter of filters) {
    const fault = filterFault(filter);
    if (fault !== undefined) throw mistake(`--${filter.kind} ${fault}; got ${filter.value}`);
  }
  if (!wantsLedger(events))
    throw mistake(
      '--event must include a type such as ledger.* when --address, --program or --signature is given',
    );
  if (commitment !== undefined && commitment !== 'confirmed' && commitment !== 'finalized')
    throw mistake(`--commitment must be confirmed or finalized; got ${String(commitment)}`);
  if (network !== undefined && !NETWORK.test(String(network)))
    throw mistake(`--network must be a network such as solana-localnet; got ${String(network)}`);
  return {
    ...(network !== undefined && { network: String(network) }),
    ...(commitment !== undefined && { commitment }),
    filters,
  };
}

function show(webhook: Webhook) {
  const { ledger } = webhook;
  return {
    id: webhook.webhook_id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    ordered: webhook.ordered,
    state: webhook.state,
    position: webhook.position,
    waiting: webhook.waiting,
    created_at: webhook.created_at,
    ...(ledger && { ledger: { ...ledger, slot: ledger.slot ?? null } }),
  };
}
