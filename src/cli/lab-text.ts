import type { SignedReport } from '../lab/report/sign-report.ts';

const MARKS = { held: 'ok      ', broken: 'BROKEN  ', 'not checked': '-       ' } as const;
const MAX_SHOWN = 10;

/** The result of a run, as text. */
export function describeLab(
  { report, signature }: SignedReport,
  { json, page }: { readonly json: string; readonly page: string },
): string {
  const { invariants, breaks, faults, totals, reads_ms: reads, seed } = report;
  const lines = invariants.map(
    ({ promise, state, checks, breaks: broken }) =>
      `  ${MARKS[state]}${promise} ${state === 'not checked' ? 'Not checked.' : `${checks} checks, ${broken} breaks.`}`,
  );
  const shown = breaks.slice(0, MAX_SHOWN).map(({ invariant, what }) => `  ${invariant}: ${what}`);
  const all = (totals.http_reads ?? 0) + (totals.websocket_reads ?? 0);
  return [
    ...lines,
    ...(shown.length > 0 ? ['', ...shown] : []),
    '',
    `${faults.length} faults, ${all} reads, p99 ${reads.p99} ms; the same faults again with --seed ${seed}`,
    `${report.is_sound ? 'Everything that was looked at held.' : 'An invariant is broken.'} ${json} is signed by ${signature.public_key}; ${page} opens in a browser.`,
    '',
  ].join('\n');
}

/** Lists as text the processes, directories and databases that a run leaves behind when it ends at once. */
export function describeLeftovers(left: readonly string[]): string {
  if (left.length === 0) return 'keyslot: the lab ends at once, and leaves nothing behind\n';
  return ['keyslot: the lab ends at once, and leaves behind', ...left.map((each) => `  ${each}`), ''].join(
    '\n',
  );
}

/** The signature of a report, and whose it is. */
export type Verification = {
  readonly is_signed: boolean;
  readonly public_key: string;
  /** Null: no key was named. */
  readonly is_trusted_key: boolean | null;
  readonly is_sound: boolean;
  readonly made_at: string;
  readonly scenario: string;
};

/** A verification, as text. */
export function describeVerification({
  is_signed: isSigned,
  is_trusted_key: isTrusted,
  ...report
}: Verification): string {
  if (!isSigned) return 'The signature is not that of this report: it was changed.\n';
  const by =
    isTrusted === false
      ? `by another key than the one expected: ${report.public_key}`
      : `by ${report.public_key}`;
  const result = report.is_sound ? 'every invariant that was looked at held' : 'an invariant was broken';
  return `Signed ${by}.\n${report.scenario}, ${report.made_at}: ${result}.\n`;
}
