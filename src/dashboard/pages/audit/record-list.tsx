import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import type { AuditRecord } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { LongExport } from '../../parts/long-export.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type AuditFilters, RecordFilters } from './record-filters.tsx';
import { RecordDialog } from './record-dialog.tsx';
import { type Names, whoActed } from './who-acted.ts';

const HEAD = [
  ...['account_id', 'seq', 'at', 'action', 'outcome', 'token_id', 'token_name', 'member_id', 'request_id'],
  ...['wallet_id', 'subject', 'units', 'address', 'previous_hash', 'hash'],
] as const;
const OPERATION = ['Audit log', 'listAuditRecords'] as const;

/** Records of the audit log, newest first, by what the member filters for. */
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
          children: <p>What is done with keys, tokens and wallets is recorded here.</p>,
        }}
      />
      {shown !== undefined && (
        <RecordDialog record={shown} who={whoActed(shown, names)} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

/** A code of several words, which may break after each. */
function breakable(code: string): readonly ReactNode[] {
  return code.split(/(?<=_)/).map((word) => (
    <Fragment key={word}>
      {word}
      <wbr />
    </Fragment>
  ));
}

/** On one line, so that a row does not grow when the names of members come. */
function OneLine({ text }: { readonly text: string }) {
  return (
    <span className="one-line" title={text}>
      {text}
    </span>
  );
}
