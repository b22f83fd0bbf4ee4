import { Link } from 'wouter';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { findAttention } from './attention.ts';
import { NetworksPanel, Errors, SpanTable } from './networks-panel.tsx';
import { ownCalls } from './own-calls.ts';
import './overview-page.css';
import { Badge } from '../../parts/badge.tsx';
import type { Attention } from './attention-item.ts';
import type { Account, Network } from '../../../../generated/account/types.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Usd, Count } from '../../parts/number.tsx';
import { credentials } from '../../calls/credentials.ts';
import { SERVER_ADDRESS, referenceOf } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { account } from '../../calls/account-client.ts';
import { useBilling } from '../billing/use-billing.ts';
import { useAvailability } from '../service-level/use-availability.ts';

/** The first page after the sign-in: notices, the networks, and the usage of the account. */
export function OverviewPage() {
  const session = useSession();
  const hasMoney = useScopes('billing:read');
  const { networks, own, keys, tokens, webhooks, isReading, ...read } = useOverview();
  const lead = `Account ${session.account.name}`;
  // All at once, because late content would move the content below it.
  if (isReading) {
    return (
      <Page title="Overview" lead={lead}>
        <div className="panel overview-wait" aria-busy="true">
          <span className="skeleton" />
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      </Page>
    );
  }
  const shown = networks.data?.networks;
  const attention = findAttention({
    session,
    networks: shown,
    account: own.data,
    keys: keys.data?.keys,
    tokens: tokens.data?.tokens,
    refused: ownCalls(shown, 'day')?.refused,
    webhooks: webhooks.data,
    settings: read.settings.data,
    invoices: read.invoices.data,
    availability: read.availability.data,
    openRequests: read.requests.data?.limit_requests.length,
    accountsInNeed: read.inNeed.data,
    nowMs: Date.now(),
  });
  const isNew = keys.data?.keys.length === 0 || ownCalls(shown, 'month')?.calls === 0;
  return (
    <Page title="Overview" lead={lead}>
      {attention.length > 0 && <AttentionList items={attention} />}
      {isNew && <FirstSteps hasKey={keys.data !== undefined && keys.data.keys.length > 0} />}
      <NetworksPanel networks={shown} error={networks.error} />
      <div className="overview-pair">
        {shown !== undefined && <CallsPanel networks={shown} />}
        {hasMoney && <BalancePanel account={own.data} error={own.error} />}
      </div>
    </Page>
  );
}

/** Notices, each with the page that settles it. */
function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  return (
    <section className="panel" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul className="attention">
        {items.map(({ id, tone, text, link }) => (
          <li key={id}>
            <Badge tone={tone}>{tone === 'bad' ? 'Urgent' : 'Soon'}</Badge>
            <span>{text}</span>
            {link.href.startsWith('#') ? (
              <a href={link.href}>{link.title}</a>
            ) : (
              <Link href={link.href}>{link.title}</Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

type BalancePanelProps = { readonly account: Account | undefined; readonly error: unknown };

/** The remaining money. */
function BalancePanel({ account, error }: BalancePanelProps) {
  const balance = account?.balance;
  return (
    <section className="panel" aria-labelledby="balance">
      <div className="panel-head">
        <h2 id="balance">Balance</h2>
        <Link href="/billing">Billing</Link>
      </div>
      <ErrorNotice error={error} operation={['Account', 'getAccount']} />
      {balance !== undefined && (
        <dl className="facts">
          <div>
            <dt>Available</dt>
            <dd className="figure">
              <Usd amount={balance.available_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Reserved for work under way</dt>
            <dd>
              <Usd amount={balance.reserved_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Charged so far</dt>
            <dd>
              <Usd amount={balance.charged_usd} />
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}

/** First steps in a new account: try a call, then create a permanent key. */
function FirstSteps({ hasKey }: { readonly hasKey: boolean }) {
  const [network] = useSession().networks;
  const mayManage = useScopes('keys:manage');
  const show = useMutation({ mutationFn: () => writeCommand(network?.rpc_path ?? '') });
  return (
    <section className="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol className="steps">
        <li>
          <p>Call the network from your terminal. The key in the command works for ten minutes.</p>
          <ErrorNotice error={show.error} />
          {show.data === undefined ? (
            <Button type="button" isBusy={show.isPending} onClick={() => show.mutate()}>
              Show a command
            </Button>
          ) : (
            <Snippet code={show.data} label="Copy the command" />
          )}
        </li>
        <li>
          <p>
            {hasKey ? 'Use your key in your program: ' : 'Create a permanent key: '}
            <Link href="/keys">{mayManage && !hasKey ? 'Create an API key' : 'Look at the keys'}</Link>
          </p>
        </li>
      </ol>
    </section>
  );
}

async function writeCommand(rpcPath: string): Promise<string> {
  const { keySnippets } = await import('../keys/snippets.ts');
  const { api_key: apiKey } = await credentials.read();
  const snippets = keySnippets({ baseUrl: SERVER_ADDRESS, rpcPath, apiKey });
  const code = snippets.find(({ title }) => title === 'curl')?.code;
  if (code === undefined) throw new Error('there is no command for curl');
  return code;
}

/** The calls of the account in the last hour, day and month, on each network. */
function CallsPanel({ networks }: { readonly networks: readonly Network[] }) {
  return (
    <section className="panel" aria-labelledby="calls">
      <div className="panel-head">
        <h2 id="calls">Calls of this account</h2>
        <Link href="/usage">All usage</Link>
      </div>
      {networks.map((network) => (
        <OwnCalls key={network.rpc_path} network={network} isOnly={networks.length === 1} />
      ))}
      <p className="field-hint">
        Errors are calls that the server or a node failed to answer. Caller errors were answered: the call was
        wrong, or its target does not exist. Refused calls were not served because the limit of the plan was
        reached. <a href={referenceOf('Networks', 'listNetworks')}>Reference</a>
      </p>
    </section>
  );
}

type OwnCallsProps = { readonly network: Network; readonly isOnly: boolean };

function OwnCalls({ network: { name, environment, spans }, isOnly }: OwnCallsProps) {
  const title = `${name}, ${environment}`;
  return (
    <div className="own-calls">
      {!isOnly && <h3>{title}</h3>}
      <SpanTable
        caption={`Calls of this account on ${title}`}
        heads={['Calls', 'Errors', 'Caller errors', 'Refused']}
        rows={spans.map(({ span, own }) => ({
          span,
          cells: [
            <Count key="calls" value={own.calls} />,
            <Errors key="errors" errors={own.errors} calls={own.calls} />,
            <Errors key="caller" errors={own.caller_errors} calls={own.calls} />,
            <Count key="refused" value={own.refused} />,
          ],
        }))}
      />
    </div>
  );
}

const REFRESH_MS = 15_000;
/** The number of newest keys and tokens that are checked for their expiry. */
const NEWEST = 200;

/** Reads the data of the overview, as far as the member may. */
function useOverview() {
  const hasMoney = useScopes('billing:read');
  const operates = useScopes('operator:read');
  const seesAccounts = useScopes('operator:manage');
  const networks = useQuery({
    queryKey: ['networks'],
    queryFn: ({ signal }) => account.listNetworks({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const own = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => account.getAccount({ signal }),
    enabled: hasMoney,
  });
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: NEWEST }, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: NEWEST }, { signal }),
  });
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await account.listWebhooks({ signal })).webhooks,
    refetchInterval: REFRESH_MS,
  });
  const requests = useQuery({
    queryKey: ['open-limit-requests'],
    queryFn: ({ signal }) => account.listOpenLimitRequests({}, { signal }),
    enabled: operates,
  });
  const inNeed = useQuery({
    queryKey: ['accounts-in-need'],
    queryFn: async ({ signal }) =>
      (await account.listAccounts({ only: 'needs_credit_limit' }, { signal })).accounts.length,
    enabled: seesAccounts,
  });
  const availability = useAvailability();
  const { settings, invoices } = useBilling({ isAllowed: hasMoney });
  const all = [
    ...[networks, own, keys, tokens, webhooks],
    ...[requests, inNeed, availability, settings, invoices],
  ];
  return {
    networks,
    own,
    keys,
    tokens,
    webhooks,
    requests,
    inNeed,
    availability,
    settings,
    invoices,
    isReading: all.some(({ isLoading }) => isLoading),
  };
}
