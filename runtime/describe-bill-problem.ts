import type { BillProblem, BillVerdict } from './verify-bill.ts';

/** Says whether the records contain the digest of an invoice without problems. */
export function describeDocument({ hasDigest }: Pick<BillVerdict, 'hasDigest'>): string {
  return hasDigest
    ? 'It is the document that was issued, to the letter.'
    : 'It was issued before records had the digest of an invoice: nothing signed covers its texts and days.';
}

/** Describes a problem of a bill. */
export function describeProblem(problem: BillProblem): string {
  switch (problem.kind) {
    case 'chain':
      return describeChain(problem.fault);
    case 'unsigned':
      return `Record ${problem.seq} and later ones are not covered by a signed head.`;
    case 'untrusted':
      return `A head is signed with ${problem.publicKey}, which is not a key that you trust.`;
    case 'not_issued':
      return 'No record issues this invoice.';
    case 'document':
      return `The invoice is not the one that was issued: its digest is ${problem.presented}, and record ${problem.seq} has ${problem.issued}.`;
    case 'note_missing':
      return `Record ${problem.seq} issues the credit note ${problem.number}, which the bill does not have.`;
    case 'note_not_issued':
      return `No record issues the credit note ${problem.number}.`;
    case 'note_twice':
      return `The credit note ${problem.number} appears more than once.`;
    case 'note_order':
      return `Record ${problem.seq} issues the credit note ${problem.number}, which does not follow ${problem.before === '' ? 'any' : problem.before}.`;
    case 'note_invoice':
      return `The credit note ${problem.number} belongs to another invoice: it names ${problem.stated}.`;
    case 'note_amount':
      return `The credit note ${problem.number} has ${problem.stated} USD, and record ${problem.seq} has ${problem.recorded} USD.`;
    case 'note_document':
      return `The credit note ${problem.number} is not the one that was issued: its digest is ${problem.presented}, and record ${problem.seq} has ${problem.issued}.`;
    case 'notes_above':
      return `The credit notes give back ${problem.credited} USD, more than the ${problem.total} USD of the invoice.`;
    case 'charge':
      return problem.expected === undefined
        ? `Record ${problem.seq} charges ${problem.charged} USD for ${problem.operation}, which is not in the price list.`
        : `Record ${problem.seq} charges ${problem.charged} USD for ${problem.operation}, and ${problem.isStated ? 'the prices that it states give' : 'the price list gives'} ${problem.expected} USD.`;
    case 'line':
      return `${problem.operation}, ${problem.tier.replace('_', ' ')}: the invoice has ${problem.stated}, the records have ${problem.recomputed}.`;
    case 'total':
      return `${problem.member}: the invoice has ${problem.stated}, the records have ${problem.recomputed}.`;
    case 'credit':
      return `The credit for availability is ${problem.stated} USD, and its table gives ${problem.expected} USD.`;
  }
}

function describeChain(fault: Extract<BillProblem, { readonly kind: 'chain' }>['fault']): string {
  const { seq } = fault;
  switch (fault.kind) {
    case 'missing':
      return `Record ${seq} is missing.`;
    case 'changed':
      return `Record ${seq} was changed: its hash is ${fault.recomputed}, stored is ${fault.stored}.`;
    case 'unlinked':
      return `Record ${seq} does not follow record ${seq - 1}.`;
    case 'head':
      return `Record ${seq} is not the one that was signed: its hash is ${fault.stored}, signed is ${fault.stated}.`;
    case 'signature':
      return `The signature of the head of record ${seq} by ${fault.publicKey} is wrong.`;
  }
}
