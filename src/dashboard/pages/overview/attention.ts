import { formatCount } from '../../parts/format-number.ts';
import { standingOf } from '../webhooks/webhook-standing.ts';
import type { OverviewFacts } from './attention-facts.ts';
import type { Attention } from './attention-item.ts';
import { findMoneyAttention } from './money-attention.ts';
import { ofServiceLevel } from './service-level-attention.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const FEW_CODES = 2;

/** Returns what needs attention, the most urgent first. */
export function findAttention(facts: OverviewFacts): readonly Attention[] {
  return [
    ...ofNetworks(facts),
    ...ofServiceLevel(facts.availability, facts.nowMs),
    ...findMoneyAttention(facts),
    ...ofWebhooks(facts),
    ...ofCalls(facts),
    ...ofSecurity(facts),
    ...ofExpiry(facts),
    ...ofRequests(facts),
    ...ofAccounts(facts),
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
      text: `${formatCount(refused)} ${refused === 1 ? 'call was' : 'calls were'} refused in the last 24 hours because the limit of the plan was reached.`,
      link: { href: '/usage', title: 'Usage' },
    },
  ];
}

function ofSecurity({ session }: OverviewFacts): readonly Attention[] {
  // The first steps ask for a second factor.
  if (!session.has_second_factor) return [];
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
      link: { href: '/security', title: 'Renew them' },
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

function ofAccounts({ accountsInNeed = 0 }: OverviewFacts): readonly Attention[] {
  if (accountsInNeed === 0) return [];
  return [
    {
      id: 'accounts',
      tone: 'warn',
      text: `${accountsInNeed === 1 ? '1 account needs' : `${accountsInNeed} accounts need`} a credit limit: charged more than the invoice threshold this month, and not invoiced.`,
      link: { href: '/operator/accounts?only=needs_credit_limit', title: 'Look at them' },
    },
  ];
}
