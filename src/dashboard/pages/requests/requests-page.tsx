import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'wouter';
import type { LoggedRequest, LoggedRequestList } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { nameOf, slugOf } from '../../parts/networks.ts';
import { Page } from '../../parts/page.tsx';
import { readForm } from '../../parts/read-form.ts';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.tsx';
import { callerOf, OutcomeBadge, printDuration, PROTOCOL_NAMES } from './describe-request.tsx';
import {
  fromLocalInput,
  printFilters,
  PROTOCOLS,
  readFilters,
  type RequestFilters,
  toLocalInput,
} from './request-filters.ts';
import { RequestPage } from './request-page.tsx';
import './requests-page.css';

const OPERATION = ['Requests', 'listRequests'] as const;
const FOLLOW_MS = 2_000;
/** Pages of a rare filter may be empty and lead on: so many are read before the reader is asked. */
const PAGES_AT_ONCE = 10;

/** Single requests of the account, and each of them. */
export function RequestsPage() {
  const { id } = useParams();
  return id === undefined ? (
    <RequestsListPage />
  ) : (
    <RequestPage key={id} requestId={decodeURIComponent(id)} />
  );
}

/** The list of requests, newest first. Its filters are in the address. */
function RequestsListPage() {
  const [params, setParams] = useSearchParams();
  const [isFollowing, setFollowing] = useState(false);
  const filters = readFilters(params);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Requests"
      lead="The requests of this account one by one: a few a second, for some days."
      actions={
        <Button
          type="button"
          kind={isFollowing ? 'primary' : 'plain'}
          aria-pressed={isFollowing}
          onClick={() => setFollowing(!isFollowing)}
        >
          {isFollowing ? 'Following' : 'Follow live'}
        </Button>
      }
    >
      <section className="panel" aria-label="Requests">
        <FilterForm
          key={params.toString()}
          filters={filters}
          onFilters={(chosen) => setParams(printFilters(chosen))}
        />
        <ListPage
          caption="Requests"
          queryKey={['requests', filters]}
          read={(page, signal) => readPage(filters, page, signal)}
          rowsOf={({ requests }) => requests}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          operation={OPERATION}
          refetchMs={isFollowing ? FOLLOW_MS : undefined}
          empty={
            isFiltered
              ? { title: 'No request matches', children: <p>Requests are kept for some days at most.</p> }
              : {
                  title: 'No requests yet',
                  children: (
                    <p>
                      A call with an <Link href="/keys">API key</Link> appears here within a second.
                    </p>
                  ),
                }
          }
        />
      </section>
    </Page>
  );
}

/** Reads a page; of a rare filter as many as it takes to fill one. */
async function readPage(
  filters: RequestFilters,
  page: { readonly limit: number; readonly cursor?: string },
  signal: AbortSignal,
): Promise<LoggedRequestList> {
  const requests: LoggedRequest[] = [];
  let { cursor } = page;
  for (let read = 0; read < PAGES_AT_ONCE; read++) {
    const limit = page.limit - requests.length;
    const next = await account.listRequests(
      { ...filters, limit, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    requests.push(...next.requests);
    cursor = next.next_cursor;
    if (cursor === undefined || requests.length >= page.limit) break;
  }
  return { requests, ...(cursor !== undefined && { next_cursor: cursor }) };
}

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { title: 'Time', share: 1.5, show: ({ at }) => <Time at={at} isExact /> },
  {
    title: 'Method',
    share: 1.9,
    show: ({ method, protocol, network }) => (
      <span className="cell-lines">
        <code>{method}</code>
        <span className="muted">{network ?? PROTOCOL_NAMES[protocol]}</span>
      </span>
    ),
  },
  { title: 'Caller', share: 1.4, show: (request) => <span className="one-line">{callerOf(request)}</span> },
  { title: 'Outcome', share: 1.7, show: (request) => <OutcomeBadge request={request} /> },
  { title: 'Duration', kind: 'number', show: ({ duration_us }) => printDuration(duration_us) },
  {
    title: 'Request',
    kind: 'actions',
    share: 1.1,
    show: ({ request_id, method }) => (
      <Link
        className="button button-plain"
        href={`/requests/${request_id}`}
        aria-label={`Details of ${method}, ${request_id}`}
      >
        Details
      </Link>
    ),
  },
];

const OUTCOMES = [
  { value: '', text: 'All' },
  { value: 'ok', text: 'Succeeded' },
  { value: 'failed', text: 'Failed' },
];
const ALL = { value: '', text: 'All' };

type FilterFormProps = {
  readonly filters: RequestFilters;
  readonly onFilters: (filters: Readonly<Record<string, string>>) => void;
};

/** The filters, which apply together; an id leads to its request. */
function FilterForm({ filters, onFilters }: FilterFormProps) {
  const [, navigate] = useLocation();
  const { networks } = useSession();
  const callers = useCallers();
  const served = networks.map((network) => ({ value: slugOf(network), text: nameOf(network) }));
  return (
    <form
      className="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const id = readForm(form, 'request_id').trim();
        if (id !== '') return navigate(`/requests/${encodeURIComponent(id)}`);
        const names = ['outcome', 'method', 'caller_id', 'protocol', 'network', 'error', 'status', 'node'];
        const texts = [...names, 'min_duration_ms', 'min_bytes'].map((name) => [name, readForm(form, name)]);
        const span = ['since', 'until'].map((name) => [name, fromLocalInput(readForm(form, name))]);
        onFilters(Object.fromEntries([...texts, ...span]));
      }}
      onReset={() => onFilters({})}
    >
      <Field name="request_id" label="Request id" placeholder="req_…" maxLength={100} autoComplete="off" />
      <Select name="outcome" label="Outcome" options={OUTCOMES} defaultValue={filters.outcome} />
      <Field
        name="method"
        label="Method or operation"
        placeholder="getBalance"
        pattern="[A-Za-z_.]{1,64}"
        defaultValue={filters.method}
      />
      <Select
        key={callers.length}
        name="caller_id"
        label="API key, token or member"
        options={callers}
        defaultValue={filters.caller_id}
      />
      <details className="more-filters" open={hasMore(filters)}>
        <summary>More filters</summary>
        <div className="filters">
          <Select
            name="protocol"
            label="Protocol"
            options={[ALL, ...PROTOCOLS.map((value) => ({ value, text: PROTOCOL_NAMES[value] }))]}
            defaultValue={filters.protocol}
          />
          <Select name="network" label="Network" options={[ALL, ...served]} defaultValue={filters.network} />
          <Field
            name="error"
            label="Error"
            placeholder="rate_limited"
            pattern="[a-z0-9_]{1,64}"
            defaultValue={filters.error}
          />
          <Field
            name="status"
            label="HTTP status"
            inputMode="numeric"
            pattern="[1-5][0-9][0-9]"
            defaultValue={filters.status}
          />
          <Field name="node" label="Node" placeholder="node-1" maxLength={64} defaultValue={filters.node} />
          <Field
            name="min_duration_ms"
            label="Slower than, ms"
            inputMode="numeric"
            pattern="[0-9]{1,8}"
            defaultValue={filters.min_duration_ms}
          />
          <Field
            name="min_bytes"
            label="Larger than, bytes"
            inputMode="numeric"
            pattern="[0-9]{1,12}"
            defaultValue={filters.min_bytes}
          />
          <Field name="since" label="From" type="datetime-local" defaultValue={toLocalInput(filters.since)} />
          <Field name="until" label="To" type="datetime-local" defaultValue={toLocalInput(filters.until)} />
        </div>
      </details>
      <div className="filter-actions">
        <Button type="submit">Filter</Button>
        <Button type="reset" kind="quiet">
          Show all
        </Button>
      </div>
    </form>
  );
}

/** The filters that are shown at once. */
const COMMON: ReadonlySet<string> = new Set(['outcome', 'method', 'caller_id', 'request_id']);

function hasMore(filters: RequestFilters): boolean {
  return Object.keys(filters).some((name) => !COMMON.has(name));
}

const MOST_NAMES = 200;

/** Returns the API keys, tokens and members that may have called, as choices. */
function useCallers() {
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: MOST_NAMES }, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: MOST_NAMES }, { signal }),
  });
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => account.listMembers({ signal }),
  });
  return [
    ALL,
    ...(keys.data?.keys ?? []).map(({ key_id, name }) => ({ value: key_id, text: `Key ${name}` })),
    ...(tokens.data?.tokens ?? []).map(({ token_id, name }) => ({ value: token_id, text: `Token ${name}` })),
    ...(members.data?.members ?? []).map(({ member_id, email }) => ({ value: member_id, text: email })),
  ];
}
