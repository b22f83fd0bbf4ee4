import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import type { AuditRecord, ListAuditQuery, Member } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { LongExport } from '../../parts/long-export.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';

const HEAD = [
  ...['account_id', 'seq', 'at', 'action', 'outcome', 'token_id', 'token_name', 'member_id', 'request_id'],
  ...['wallet_id', 'subject', 'units', 'address', 'previous_hash', 'hash'],
] as const;
const OPERATION = ['Audit log', 'listAuditRecords'] as const;

/** Filtered records of the audit log, newest first. */
export function RecordList() {
  const [filters, setFilters] = useState<AuditFilters>({});
  const [shown, setShown] = useState<AuditRecord>();
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => account.listMembers({ signal }),
  });
  const names: Names = new Map(
    (members.data?.members ?? []).map(({ member_id, email }) => [member_id, email]),
  );
  const read = (query: { readonly limit: number; readonly cursor?: string }, signal: AbortSignal) =>
    account.listAuditRecords({ ...filters, ...query }, { signal });
  const columns: readonly Column<AuditRecord>[] = [
    { title: 'Record', kind: 'number', share: 0.8, show: ({ seq }) => seq },
    { title: 'Time', share: 1.7, show: ({ at }) => <Time at={at} /> },
    { title: 'Action', share: 1.9, show: ({ action }) => <code>{action}</code> },
    {
      title: 'Outcome',
      share: 2,
      show: ({ outcome }) => <Badge tone={outcome === 'ok' ? 'good' : 'warn'}>{breakable(outcome)}</Badge>,
    },
    { title: 'Who', share: 1.5, show: (record) => <OneLine text={whoActed(record, names)} /> },
    {
      title: 'Details',
      kind: 'actions',
      share: 1.3,
      show: (record) => (
        <Button type="button" aria-label={`Details of record ${record.seq}`} onClick={() => setShown(record)}>
          Details
        </Button>
      ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="records">
      <h2 id="records">Records</h2>
      <RecordFilters members={members.data?.members ?? []} onFilters={setFilters} />
      <LongExport
        formats={['csv', 'jsonl']}
        name="audit"
        head={HEAD}
        read={read}
        rowsOf={({ records }) => records}
        operation={OPERATION}
      />
      <ListPage
        caption="Records"
        queryKey={['audit', filters]}
        read={read}
        rowsOf={({ records }) => records}
        columns={columns}
        keyOf={({ seq }) => String(seq)}
        operation={OPERATION}
        empty={{
          title: 'No records',
          children: <p>Every action on keys, tokens and wallets is recorded here.</p>,
        }}
      />
      {shown !== undefined && (
        <RecordDialog record={shown} who={whoActed(shown, names)} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

/** A code of several words, with a line break allowed after each. */
function breakable(code: string): readonly ReactNode[] {
  return code.split(/(?<=_)/).map((word) => (
    <Fragment key={word}>
      {word}
      <wbr />
    </Fragment>
  ));
}

/** A text on one line, so that a row keeps its height when the names of members arrive. */
function OneLine({ text }: { readonly text: string }) {
  return (
    <span className="one-line" title={text}>
      {text}
    </span>
  );
}

/** Emails of members by id. */
type Names = ReadonlyMap<string, string>;

const SHOWN = 8;

/** Returns the actor: the email of a member or the name of a token; the beginning of its id if it was deleted. */
function whoActed(
  { member_id, token_id, token_name }: Pick<AuditRecord, 'member_id' | 'token_id' | 'token_name'>,
  names: Names,
): string {
  if (member_id !== undefined) return names.get(member_id) ?? `member ${member_id.slice(0, SHOWN)}…`;
  if (token_id !== undefined) return token_name ?? `token ${token_id.slice(0, SHOWN)}…`;
  return 'operator';
}

type RecordDialogProps = { readonly record: AuditRecord; readonly who: string; readonly onClose: () => void };

/** All facts of a record. */
function RecordDialog({ record, who, onClose }: RecordDialogProps) {
  return (
    <Dialog title={`Record ${record.seq}`} onClose={onClose}>
      <dl className="facts record-facts">
        <Fact name="Time">
          <Time at={record.at} />
        </Fact>
        <Fact name="Action">
          <code>{record.action}</code>
        </Fact>
        <Fact name="Outcome">
          <code>{record.outcome}</code>
        </Fact>
        <Fact name="Who">{who}</Fact>
        <Fact name="Wallets or requests">{record.units}</Fact>
        <Id name="Wallet" id={record.wallet_id} />
        <Id name="Acted on" id={record.subject} />
        {record.changes?.map(({ member, before, after }) => (
          <Fact key={member} name={`Change of ${member}`}>
            {before} → {after}
          </Fact>
        ))}
        <Id name="Request" id={record.request_id} />
        <Id name="Access token" id={record.token_id} />
        <Id name="Member" id={record.member_id} />
        <Id name="Address" id={record.address} />
        <Id name="Hash" id={record.hash} />
        <Id name="Hash of the previous record" id={record.previous_hash} />
      </dl>
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Id({ name, id }: { readonly name: string; readonly id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd className="copyable">
        <code>{id}</code>
        <CopyButton text={id} label={`Copy: ${name}`} />
      </dd>
    </div>
  );
}

/** The filter of the shown records. */
type AuditFilters = Omit<ListAuditQuery, 'limit' | 'cursor'>;

type RecordFiltersProps = {
  readonly members: readonly Member[];
  readonly onFilters: (filters: AuditFilters) => void;
};

const ANYBODY = { value: '', text: 'Anybody' };

/** The filters of the audit log, which apply together. */
function RecordFilters({ members, onFilters }: RecordFiltersProps) {
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: 200 }, { signal }),
  });
  const who = [
    ANYBODY,
    ...members.map(({ member_id, email }) => ({ value: `member ${member_id}`, text: email })),
    ...(tokens.data?.tokens ?? []).map(({ token_id, name }) => ({
      value: `token ${token_id}`,
      text: `Token ${name}`,
    })),
  ];
  return (
    <form
      className="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        onFilters(readFilters(event.currentTarget));
      }}
      onReset={() => onFilters({})}
    >
      <Field name="action" label="Action" placeholder="createkey" pattern="[A-Za-z_.]{1,64}" />
      <Field name="outcome" label="Outcome" placeholder="ok" pattern="[A-Za-z_]{1,64}" />
      <Select name="who" label="Who" options={who} />
      <Field name="wallet" label="Wallet" placeholder="w_…" pattern="[A-Za-z0-9_]{1,64}" />
      <Field name="since" label="From" type="datetime-local" />
      <Field name="until" label="To" type="datetime-local" />
      <div className="filter-actions">
        <Button type="submit">Filter</Button>
        <Button type="reset" kind="quiet">
          Show all
        </Button>
      </div>
    </form>
  );
}

function readFilters(form: HTMLFormElement): AuditFilters {
  const [kind, id] = readForm(form, 'who').split(' ');
  const text = (name: string): string => readForm(form, name).trim();
  const [action, outcome, wallet] = [text('action').toLowerCase(), text('outcome'), text('wallet')];
  const [since, until] = [text('since'), text('until')];
  return {
    ...(action !== '' && { action }),
    ...(outcome !== '' && { outcome }),
    ...(wallet !== '' && { wallet_id: wallet }),
    ...(kind === 'member' && id !== undefined && { member_id: id }),
    ...(kind === 'token' && id !== undefined && { token_id: id }),
    ...(since !== '' && { since: new Date(since).toISOString() }),
    ...(until !== '' && { until: new Date(until).toISOString() }),
  };
}
