import type {
  Account,
  ApiKey,
  AccessToken,
  Network,
  Session,
  Webhook,
} from '../../../../generated/account/types.ts';
import { formatCount, formatUsd } from '../../parts/format-number.ts';
import { standingOf } from '../webhooks/webhook-standing.ts';
import { microOf } from '../../parts/usd.ts';

/** Something that the member should look at, and the page where. */
export type Attention = {
  readonly id: string;
  readonly tone: 'warn' | 'bad';
  readonly text: string;
  readonly link: { readonly href: string; readonly title: string };
};

/** What the overview has read; undefined where the member may not, or where it failed. */
export type OverviewFacts = {
  readonly session: Pick<Session, 'has_second_factor' | 'backup_codes_left'>;
  readonly networks?: readonly Network[] | undefined;
  readonly account?: Pick<Account, 'billing' | 'balance'> | undefined;
  readonly keys?: readonly ApiKey[] | undefined;
  readonly tokens?: readonly AccessToken[] | undefined;
  /** Calls that the plan did not allow in the last day. */
  readonly refused?: number | undefined;
  readonly webhooks?: readonly Webhook[] | undefined;
  readonly openRequests?: number | undefined;
  readonly nowMs: number;
};

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const FEW_CODES = 2;
/** A prepaid account with less is about to be refused. */
const LOW_MICRO_USD = 1_000_000n;

/** Returns what needs attention, the most urgent first. */
export function findAttention(facts: OverviewFacts): readonly Attention[] {
  return [
    ...ofNetworks(facts),
    ...ofMoney(facts),
    ...ofWebhooks(facts),
    ...ofCalls(facts),
    ...ofSecurity(facts),
    ...ofExpiry(facts),
    ...ofRequests(facts),
  ];
}

function ofNetworks({ networks = [] }: OverviewFacts): readonly Attention[] {
  return networks
    .filter(({ state }) => state !== 'ready')
    .map(({ name, environment, state, rpc_path }) => ({
      id: rpc_path,
      tone: 'bad',
      text:
        state === 'unavailable'
          ? `No node of ${name}, ${environment} answers. Calls to it fail.`
          : `The node of ${name}, ${environment} has fallen behind. Its answers may be old.`,
      link: { href: '#networks', title: 'Networks' },
    }));
}

function ofMoney({ account }: OverviewFacts): readonly Attention[] {
  const available = account?.balance?.available_usd;
  if (account?.billing !== 'prepaid' || available === undefined || microOf(available) >= LOW_MICRO_USD)
    return [];
  const isUsedUp = microOf(available) <= 0n;
  return [
    {
      id: 'balance',
      tone: isUsedUp ? 'bad' : 'warn',
      text: isUsedUp
        ? 'Nothing is left of the balance: wallet operations are refused. Ask the operator for credit.'
        : `${formatUsd(available)} are left of the balance. Wallet operations are refused when it is used up.`,
      link: { href: '/usage/billing', title: 'Billing' },
    },
  ];
}

function ofWebhooks({ webhooks = [] }: OverviewFacts): readonly Attention[] {
  return webhooks.flatMap((webhook) => {
    const { tone, word, advice } = standingOf(webhook);
    if (advice === undefined || tone === 'good' || tone === 'off') return [];
    const { webhook_id: id, name } = webhook;
    const text = `The webhook ${name} ${word === 'failing' ? 'is failing' : 'has stopped'}. ${advice}`;
    return [{ id, tone, text, link: { href: `/webhooks/${id}`, title: 'Look at it' } }];
  });
}

function ofCalls({ refused = 0 }: OverviewFacts): readonly Attention[] {
  if (refused === 0) return [];
  return [
    {
      id: 'refused',
      tone: 'warn',
      text: `${formatCount(refused)} ${refused === 1 ? 'call was' : 'calls were'} refused in the last day: the limit of the plan was reached.`,
      link: { href: '/usage', title: 'Usage' },
    },
  ];
}

function ofSecurity({ session }: OverviewFacts): readonly Attention[] {
  const link = { href: '/security', title: session.has_second_factor ? 'Renew them' : 'Set it up' };
  if (!session.has_second_factor)
    return [
      {
        id: 'factor',
        tone: 'warn',
        text: 'Your login has no second factor yet. Some changes need one, such as inviting members.',
        link,
      },
    ];
  const left = session.backup_codes_left;
  if (left > FEW_CODES) return [];
  return [
    {
      id: 'codes',
      tone: 'warn',
      text:
        left === 0
          ? 'You have no backup codes left.'
          : `You have ${left} backup ${left === 1 ? 'code' : 'codes'} left.`,
      link,
    },
  ];
}

function ofExpiry({ keys = [], tokens = [], nowMs }: OverviewFacts): readonly Attention[] {
  const isSoon = (at: string | undefined): boolean =>
    at !== undefined && Date.parse(at) > nowMs && Date.parse(at) < nowMs + SOON_DAYS * DAY_MS;
  const expiring = (kind: string, count: number, href: string): readonly Attention[] =>
    count === 0
      ? []
      : [
          {
            id: kind,
            tone: 'warn',
            text: `${count} ${kind}${count === 1 ? ' stops' : 's stop'} working within ${SOON_DAYS} days.`,
            link: { href, title: 'Look at them' },
          },
        ];
  const isUsed = ({ state }: { readonly state: string }): boolean =>
    state === 'active' || state === 'rotated';
  return [
    ...expiring('API key', keys.filter((key) => isUsed(key) && isSoon(key.expires_at)).length, '/keys'),
    ...expiring(
      'access token',
      tokens.filter((token) => isUsed(token) && isSoon(token.expires_at)).length,
      '/keys/tokens',
    ),
  ];
}

function ofRequests({ openRequests = 0 }: OverviewFacts): readonly Attention[] {
  if (openRequests === 0) return [];
  return [
    {
      id: 'requests',
      tone: 'warn',
      text: `${openRequests === 1 ? '1 request for a higher limit waits' : `${openRequests} requests for higher limits wait`} for an operator.`,
      link: { href: '/operator/requests', title: 'Decide' },
    },
  ];
}
