import { useParams, useLocation } from 'wouter';
import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useSession, useScopes } from '../../session/session.tsx';
import { account } from '../../calls/account-client.ts';
import { leaveSession } from '../../calls/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { LeaveDialog } from '../../session/leave-dialog.tsx';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { networkAddresses } from './network-addresses.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Count } from '../../parts/number.tsx';
import { describeWindow } from './describe-window.ts';
import { LIMIT_TEXTS, isLimit, LIMIT_NAMES } from './limit-texts.ts';
import type { LimitRequest, LimitKind } from '../../../../generated/account/types.ts';
import { Badge } from '../../parts/badge.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/limits', title: 'Plan and limits' },
];

/** The account, the addresses of its networks, and its limits. */
export function SettingsPage() {
  const { view } = useParams();
  if (view !== undefined && view !== 'limits') return <NotFoundPage />;
  return (
    <Page title="Settings" lead="The account, the addresses of its networks, and its limits.">
      <Tabs label="Views" tabs={TABS} />
      {view === undefined ? (
        <>
          <AccountPanel />
          <NetworkPanel />
          <LeavePanel />
        </>
      ) : (
        <>
          <LimitPanel />
          <LimitRequestPanel />
        </>
      )}
    </Page>
  );
}

/** The account, and the member's role in it. */
function AccountPanel() {
  const { account, member } = useSession();
  return (
    <section className="panel" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl className="facts facts-wide">
        <div>
          <dt>Name</dt>
          <dd>{account.name}</dd>
        </div>
        <div>
          <dt>Account id</dt>
          <dd className="copyable">
            <code>{account.account_id}</code>
            <CopyButton text={account.account_id} label="Copy the account id" />
          </dd>
        </div>
        <div>
          <dt>You</dt>
          <dd>
            {member.name}, {member.role}
          </dd>
        </div>
      </dl>
      <p className="muted">
        Choose the theme in the menu; it is stored only in this browser. Name, plan and limits of the account
        are set by the operator of this server.
      </p>
    </section>
  );
}

/** Signs out everywhere, or leaves the account. */
function LeavePanel() {
  const { account: left } = useSession();
  const [shown, setShown] = useState<'sign-out' | 'leave'>();
  const [, go] = useLocation();
  const close = () => setShown(undefined);
  return (
    <section className="panel" aria-labelledby="leave">
      <h2 id="leave">Sign out and leave</h2>
      <div className="setting">
        <p className="muted">End all sessions of your login, including this one, on all devices.</p>
        <Button type="button" onClick={() => setShown('sign-out')}>
          Sign out everywhere
        </Button>
      </div>
      <div className="setting">
        <p className="muted">Give up your membership of {left.name}. The last owner cannot leave.</p>
        <Button type="button" kind="danger" onClick={() => setShown('leave')}>
          Leave the account
        </Button>
      </div>
      {shown === 'sign-out' && (
        <ConfirmDialog
          title="Sign out everywhere?"
          description="All sessions of your login end at once, including this one, in other accounts as well."
          verb="Sign out everywhere"
          act={async () => {
            await account.endOtherSessions();
            await account.signOut();
          }}
          onDone={() => {
            leaveSession();
            go('/');
          }}
          onClose={close}
        />
      )}
      {shown === 'leave' && <LeaveDialog onClose={close} />}
    </section>
  );
}

/** The addresses of each network. */
function NetworkPanel() {
  const { networks, grpc_url: grpcUrl } = useSession();
  return (
    <section className="panel" aria-labelledby="networks">
      <div className="panel-head">
        <h2 id="networks">Networks</h2>
        <ReferenceLink operation={['Networks', 'listNetworks']} />
      </div>
      {networks.map(({ name, environment, rpc_path }) => (
        <dl key={rpc_path} className="facts">
          {networkAddresses(SERVER_ADDRESS, rpc_path).map(({ kind, address }) => (
            <div key={kind}>
              <dt>
                {name}, {environment}: {kind}
              </dt>
              <dd className="copyable">
                <code>{address}</code>
                <CopyButton text={address} label={`Copy the ${kind} address of ${name}, ${environment}`} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
      {grpcUrl !== undefined && (
        <dl className="facts">
          <div>
            <dt>Topic streams of all networks: gRPC</dt>
            <dd className="copyable">
              <code>{grpcUrl}</code>
              <CopyButton text={grpcUrl} label="Copy the gRPC address of the topic streams" />
            </dd>
          </div>
        </dl>
      )}
      <p className="muted">
        Add a key: <code>?apikey=…</code>, or the header <code>x-api-key</code>. Topic streams use gRPC
        {grpcUrl === undefined && (
          <>
            , at an address that the operator names in the setting <code>grpc.public_url</code>
          </>
        )}
        ; their messages are in <a href={`${SERVER_ADDRESS}/stream.proto`}>stream.proto</a>.
      </p>
    </section>
  );
}

const GET_ACCOUNT = ['Account', 'getAccount'] as const;

/** The plan and the limits of the account. */
function LimitPanel() {
  const read = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => account.getAccount({ signal }) });
  const { plan, wallet_create_limit, wallet_use_limit, billing } = read.data ?? {};
  return (
    <section className="panel" aria-labelledby="limits" aria-busy={read.isPending}>
      <div className="panel-head">
        <h2 id="limits">Plan and limits</h2>
        <ReferenceLink operation={GET_ACCOUNT} />
      </div>
      {read.isError ? (
        <ErrorNotice error={read.error} operation={GET_ACCOUNT}>
          <Button type="button" onClick={() => void read.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      ) : (
        <dl className="facts">
          <Fact title="Plan">{plan?.name}</Fact>
          <Fact title="Calls of each API key, by their weight">
            {plan && (
              <>
                <Count value={plan.requests_per_second} /> a second, <Count value={plan.burst} /> at once
              </>
            )}
          </Fact>
          <Fact title={LIMIT_TEXTS.wallet_create.title}>
            {wallet_create_limit && describeWindow(wallet_create_limit)}
          </Fact>
          <Fact title={LIMIT_TEXTS.wallet_use.title}>
            {wallet_use_limit && describeWindow(wallet_use_limit)}
          </Fact>
          <Fact title="Billing">
            {billing &&
              (billing === 'prepaid' ? 'Prepaid, from its balance' : 'Invoiced, up to a credit limit')}
          </Fact>
        </dl>
      )}
    </section>
  );
}

/** Keeps the height of its line while it is read. */
function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children ?? <span className="skeleton skeleton-line" />}</dd>
    </div>
  );
}

const REQUESTS_KEY = ['limit-requests'] as const;
const LIST_REQUESTS = ['Higher limits', 'listLimitRequests'] as const;
const TONES = { open: 'warn', withdrawn: 'off', granted: 'good', refused: 'bad' } as const;

/** The account's requests for higher limits, with the answers. */
function LimitRequestPanel() {
  const [shown, setShown] = useState<'ask' | LimitRequest>();
  const mayAsk = useScopes('limits:request');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: REQUESTS_KEY });
  };
  const columns: readonly Column<LimitRequest>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.8,
      show: (request) =>
        mayAsk &&
        request.state === 'open' && (
          <Button
            type="button"
            aria-label={`Withdraw the request for ${request.wanted}`}
            onClick={() => setShown(request)}
          >
            Withdraw
          </Button>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="limit-requests">
      <div className="panel-head">
        <h2 id="limit-requests">Requests for higher limits</h2>
        <div className="actions">
          <ReferenceLink operation={LIST_REQUESTS} />
          {mayAsk && (
            <Button type="button" kind="primary" onClick={() => setShown('ask')}>
              Ask for a higher limit
            </Button>
          )}
        </div>
      </div>
      <ListPage
        caption="Requests for higher limits"
        queryKey={REQUESTS_KEY}
        read={(query, signal) => account.listLimitRequests(query, { signal })}
        rowsOf={({ limit_requests }) => limit_requests}
        columns={columns}
        keyOf={({ limit_request_id }) => limit_request_id}
        operation={LIST_REQUESTS}
        empty={{
          title: 'No requests',
          children: <p>When a limit is too low, ask the operator of this server for a higher one.</p>,
        }}
      />
      {shown === 'ask' && <RequestLimitDialog onAsked={onDone} onClose={close} />}
      {typeof shown === 'object' && (
        <ConfirmDialog
          title="Withdraw the request?"
          description={`The operator no longer sees your request for ${LIMIT_TEXTS[shown.limit].title.toLowerCase()}: ${shown.wanted}.`}
          verb="Withdraw it"
          act={() => account.withdrawLimitRequest(shown.limit_request_id)}
          onDone={onDone}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<LimitRequest>[] = [
  {
    title: 'Wanted',
    share: 1.1,
    show: ({ limit, wanted }) => (
      <span className="cell-lines">
        <span>{wanted}</span>
        <span className="scope-list">{LIMIT_TEXTS[limit].title}</span>
      </span>
    ),
  },
  {
    title: 'Reason',
    share: 1.6,
    show: ({ reason, answer }) => (
      <span className="cell-lines">
        <span>{reason}</span>
        {answer !== undefined && <span className="scope-list">Answer: {answer}</span>}
      </span>
    ),
  },
  {
    title: 'State',
    share: 0.7,
    show: ({ state }) => (
      <span>
        <Badge tone={TONES[state]}>{state}</Badge>
      </span>
    ),
  },
  { title: 'Asked', show: ({ created_at }) => <Time at={created_at} /> },
];

type RequestLimitDialogProps = { readonly onAsked: () => void; readonly onClose: () => void };

/** Asks the operator of the server for a higher limit. */
function RequestLimitDialog({ onAsked, onClose }: RequestLimitDialogProps) {
  const [limit, setLimit] = useState<LimitKind>('plan');
  const ask = useMutation({
    mutationFn: (body: Parameters<typeof account.requestLimit>[0]) => account.requestLimit(body),
    onSuccess: onAsked,
  });
  return (
    <FormDialog
      title="Ask for a higher limit"
      description="The operator of this server grants or refuses it. You will see the answer in the list."
      action="Send the request"
      call={ask}
      operation={['Higher limits', 'requestLimit']}
      onSubmit={(form) =>
        ask.mutate({
          limit,
          wanted: readForm(form, 'wanted').trim(),
          reason: readForm(form, 'reason').trim(),
        })
      }
      onClose={onClose}
    >
      <Select
        label="Limit"
        hint={`It counts ${LIMIT_TEXTS[limit].of}.`}
        value={limit}
        onChange={({ currentTarget: { value } }) => isLimit(value) && setLimit(value)}
        options={LIMIT_NAMES.map((name) => ({ value: name, text: LIMIT_TEXTS[name].title }))}
      />
      <Field
        key={limit}
        name="wanted"
        label={LIMIT_TEXTS[limit].wanted}
        autoComplete="off"
        maxLength={63}
        required
        {...(limit !== 'plan' && { type: 'number', min: 1, step: 1 })}
      />
      <Field
        name="reason"
        label="Reason"
        hint="Why you need it. The operator reads this."
        autoComplete="off"
        maxLength={500}
        required
      />
    </FormDialog>
  );
}
