import type { LedgerChoice, Webhook } from '../../../../generated/account/types.ts';
import { Select, TextArea } from '../../parts/field.tsx';
import { nameOf, slugOf } from '../../parts/networks.ts';
import { readForm } from '../../parts/read-form.ts';
import { splitLines } from '../../parts/split-lines.ts';
import { useSession } from '../../session/session.tsx';
import { printFilters, readFilters } from './ledger-filters.ts';

const COMMITMENTS = [
  { value: 'confirmed', text: 'Confirmed' },
  { value: 'finalized', text: 'Finalized' },
] as const;

/** The fields for events of a ledger. */
export function LedgerFields({ ledger }: { readonly ledger: Webhook['ledger'] }) {
  const { networks } = useSession();
  return (
    <fieldset className="stack">
      <legend>Events of a ledger (optional)</legend>
      <TextArea
        name="filters"
        label="Addresses and signatures"
        hint="One on each line: an address, a signature, or program and its address."
        defaultValue={printFilters(ledger?.filters ?? [])}
        spellCheck={false}
      />
      <Select
        name="network"
        label="Network"
        options={networks.map((network) => ({ value: slugOf(network), text: nameOf(network) }))}
        defaultValue={ledger?.network}
      />
      <Select
        name="commitment"
        label="From blocks that are"
        options={COMMITMENTS}
        defaultValue={ledger?.commitment ?? 'confirmed'}
      />
    </fieldset>
  );
}

/** Reads the fields. Undefined: no events of a ledger are wanted, and none were. */
export function readLedgerFields(form: HTMLFormElement, before: Webhook['ledger']): LedgerChoice | undefined {
  const filters = readFilters(splitLines(readForm(form, 'filters')));
  if (filters.length === 0 && before === undefined) return undefined;
  const commitment = readForm(form, 'commitment') === 'finalized' ? 'finalized' : 'confirmed';
  return { network: readForm(form, 'network'), commitment, filters };
}
