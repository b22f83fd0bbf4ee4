import { Badge } from '../../../parts/badge.tsx';
import { type StandingFacts, standingOf } from './invoice-standing.ts';

/** The standing of an invoice today: to pay, overdue, paid or credited. */
export function InvoiceBadge({ invoice }: { readonly invoice: StandingFacts }) {
  const { tone, word } = standingOf(invoice, Date.now());
  return (
    <span>
      <Badge tone={tone}>{word}</Badge>
    </span>
  );
}
