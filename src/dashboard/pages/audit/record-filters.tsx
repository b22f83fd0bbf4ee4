import { useQuery } from '@tanstack/react-query';
import type { ListAuditQuery, Member } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';

/** Which records are shown. */
export type AuditFilters = Omit<ListAuditQuery, 'limit' | 'cursor'>;

type RecordFiltersProps = {
  readonly members: readonly Member[];
  readonly onFilters: (filters: AuditFilters) => void;
};

const ANYBODY = { value: '', text: 'Anybody' };

/** The filters of the audit log, which apply together. */
export function RecordFilters({ members, onFilters }: RecordFiltersProps) {
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
