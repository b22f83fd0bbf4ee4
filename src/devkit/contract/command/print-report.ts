import { type CaseReport, countCases, countLimited, isFulfilled, type PartReport } from './method-reports.ts';
import { createAnswerCheck } from '../../../gateway/ledger/drift/answer-check.ts';
import type { Finding } from '../../../gateway/ledger/drift/finding.ts';
import { isMembers } from '../../../gateway/ledger/drift/schema-forms.ts';
import { openrpcDocument } from '../../../gateway/ledger/openrpc-document.ts';
import type { HearAnswer } from '../json-rpc.ts';

export type RunReport = {
  /** The address of the server, without its query. */
  readonly url: string;
  /** Methods of JSON-RPC; empty if the ledger was not checked. */
  readonly methods: readonly PartReport[];
  /** Empty if they were not checked. */
  readonly subscriptions: readonly PartReport[];
  /** Operations of the wallet service; empty if it was not checked. */
  readonly operations: readonly PartReport[];
  /** Operations of the account service; empty if it was not checked. */
  readonly account: readonly PartReport[];
  /** Calls of the stream service; empty if it was not checked. */
  readonly calls: readonly PartReport[];
  /** Names in the ledger's answers that the specification does not know; undefined if it was not checked. */
  readonly drift: DriftReport | undefined;
};

/** Everything that a run reports on. */
export function partsOf({
  methods,
  subscriptions,
  operations,
  account,
  calls,
}: RunReport): readonly PartReport[] {
  return [...methods, ...subscriptions, ...operations, ...account, ...calls];
}

/**
 * Prints a line per method, subscription, REST operation and stream call with its differences below, and the counts; then the names that
 * the specification does not know.
 */
export function printText(report: RunReport): string {
  const { url, methods, subscriptions, operations, account, calls } = report;
  const sections = [
    printPart('methods', methods),
    printPart('subscriptions', subscriptions),
    printPart('operations of the wallet service', operations),
    printPart('operations of the account service', account),
    printPart('calls of the stream service', calls),
  ];
  return `${url}\n\n${sections.join('')}${limitText(partsOf(report))}${driftText(report.drift)}`;
}

function driftText(drift: DriftReport | undefined): string {
  if (drift === undefined) return '';
  const { version = 'unknown', findings } = drift;
  if (findings.length === 0)
    return `\nevery answer is covered by the specification (server version ${version})\n`;
  const width = Math.max(...findings.map(({ count }) => String(count).length));
  const lines = findings.map(
    ({ kind, name, count }) => `  ${String(count).padStart(width)} × ${name} (${kind})\n`,
  );
  return `\nnot known to the specification (server version ${version}):\n${lines.join('')}`;
}

function printPart(kind: string, reports: readonly PartReport[]): string {
  if (reports.length === 0) return '';
  const width = Math.max(...reports.map(({ name }) => name.length));
  const lines = reports.flatMap((report) => [
    `${report.verdict.padEnd(9)} ${report.name.padEnd(width)}  ${counts(report)}`,
    ...(report.verdict === 'absent' ? [] : report.cases.flatMap(difference)),
    ...leftOutText(report),
  ]);
  const total = (verdict: PartReport['verdict']): number =>
    reports.filter((report) => report.verdict === verdict).length;
  const summary = (['holds', 'differs', 'absent', 'unproven'] as const)
    .map((verdict) => `${verdict} ${total(verdict)}`)
    .join(', ');
  return `${lines.join('\n')}\n\n${reports.length} ${kind}: ${summary}\n`;
}

/** Describes the cases that a rate limit left unanswered. */
function limitText(reports: readonly PartReport[]): string {
  const limited = countLimited(reports);
  return limited === 0
    ? ''
    : `${limited} cases were not answered: the server limits the rate of calls (HTTP 429). They prove nothing; try --rate N.\n`;
}

/** Prints the same as JSON; cases that held are only counted, those left out by their reason. */
export function printAsJson(report: RunReport): string {
  const { url, methods, subscriptions, operations, account, calls } = report;
  const head = {
    url,
    isFulfilled: isFulfilled(partsOf(report)),
    limited: countLimited(partsOf(report)),
  };
  const shown = {
    ...head,
    methods: methods.map((each) => ({ method: each.name, ...shownPart(each) })),
    subscriptions: subscriptions.map((each) => ({ subscription: each.name, ...shownPart(each) })),
    operations: operations.map((each) => ({ operation: each.name, ...shownPart(each) })),
    account: account.map((each) => ({ operation: each.name, ...shownPart(each) })),
    calls: calls.map((each) => ({ call: each.name, ...shownPart(each) })),
    ...(report.drift && { drift: report.drift }),
  };
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function shownPart(report: PartReport) {
  return {
    verdict: report.verdict,
    held: countCases(report, 'held'),
    leftOut: countCases(report, 'left-out'),
    reasons: leftOut(report),
    cases: report.cases.filter(({ outcome }) => outcome !== 'held' && outcome !== 'left-out'),
  };
}

/**
 * Prints the same as JUnit XML: a suite per method, subscription and operation, a test per case; inconclusive cases are skipped. Names
 * that the specification does not know are properties of a suite without tests.
 */
export function printJunit(report: RunReport): string {
  const suites = partsOf(report).map((part) => {
    const { name, cases } = part;
    const failed = countCases(part, 'differed') + countCases(part, 'absent');
    const skipped = cases.length - failed - countCases(part, 'held');
    return `  <testsuite name="${xml(name)}" tests="${cases.length}" failures="${failed}" skipped="${skipped}">
${cases.map((item) => testCase(name, item)).join('')}  </testsuite>
`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(report.url)}">\n${suites.join('')}${driftSuite(report.drift)}</testsuites>\n`;
}

function driftSuite(drift: DriftReport | undefined): string {
  if (drift === undefined || drift.findings.length === 0) return '';
  const property = (name: string, value: unknown): string =>
    `      <property name="${xml(name)}" value="${xml(String(value))}"/>\n`;
  const found = drift.findings.map(({ kind, name, count }) => property(`${kind} ${name}`, count));
  return `  <testsuite name="not known to the specification" tests="0" failures="0" skipped="0">
    <properties>
${property('version', drift.version ?? 'unknown')}${found.join('')}    </properties>
  </testsuite>
`;
}

function counts(report: PartReport): string {
  const kinds = ['held', 'differed', 'absent', 'unproven', 'limited', 'left-out'] as const;
  return kinds
    .map((outcome) => [countCases(report, outcome), outcome.replace('-', ' ')] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}

/** Counts the cases left out, by their reason where one is known. */
function leftOut({ cases }: PartReport): readonly { readonly reason: string; readonly count: number }[] {
  const reasons = cases.flatMap(({ outcome, failures }) => (outcome === 'left-out' ? failures : []));
  return [...Map.groupBy(reasons, (reason) => reason)].map(([reason, each]) => ({
    reason,
    count: each.length,
  }));
}

/** Prints a line per kind of reason, with the details after a colon. */
function leftOutText(report: PartReport): readonly string[] {
  const kinds = Map.groupBy(leftOut(report), ({ reason }) => reason.split(': ')[0] ?? '');
  return [...kinds].map(([kind, each]) => {
    const count = each.reduce((sum, one) => sum + one.count, 0);
    const details = each.map(({ reason }) => reason.slice(kind.length + 2)).filter(Boolean);
    return `  ${count} left out: ${kind}${details.length === 0 ? '' : `: ${details.join(', ')}`}`;
  });
}

function difference({ kind, name, outcome, failures }: CaseReport): readonly string[] {
  if (outcome !== 'differed' && outcome !== 'absent') return [];
  return [`  ${kind}: ${name}`, ...failures.map((failure) => `      ${failure}`)];
}

function testCase(method: string, { kind, name, outcome, failures }: CaseReport): string {
  const opening = `    <testcase classname="${xml(method)}" name="${xml(`${kind}: ${name}`)}"`;
  if (outcome === 'held') return `${opening}/>\n`;
  const isFailure = outcome === 'differed' || outcome === 'absent';
  const message = outcome === 'left-out' ? [outcome, ...failures].join(': ') : outcome;
  const inner = isFailure
    ? `<failure message="${xml(outcome)}">${xml(failures.join('\n'))}</failure>`
    : `<skipped message="${xml(message)}"/>`;
  return `${opening}>${inner}</testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML 1.0; a character that XML cannot represent becomes U+FFFD. */
function xml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '\uFFFD');
}

/** Names in a server's answers that the specification does not know. */
export type DriftReport = {
  /** The version that the server reports; undefined if it reports none. */
  readonly version: string | undefined;
  /** `count`: the number of answers that had it. */
  readonly findings: readonly (Finding & { readonly count: number })[];
};

type DriftRecord = {
  /** Takes the answer to a call, or another message. */
  readonly hear: HearAnswer;
  readonly report: () => DriftReport;
};

/** More names than this add no insight. */
const MAX_NAMES = 1_000;
const MAX_VERSION_CHARACTERS = 64;

/** Checks every answer of a run against the specification. */
export function createDriftRecord(): DriftRecord {
  const check = createAnswerCheck(openrpcDocument());
  const counts = new Map<string, Finding & { count: number }>();
  let version: string | undefined;
  const note = (finding: Finding): void => {
    const key = `${finding.kind} ${finding.name}`;
    const known = counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (counts.size < MAX_NAMES) counts.set(key, { ...finding, count: 1 });
  };
  return {
    hear: (method, text) => {
      const message = parse(text);
      if (method === 'getVersion') version = versionIn(message) ?? version;
      const found = method === undefined ? check.notification(message) : check.reply(method, message);
      for (const finding of found) note(finding);
    },
    report: () => ({ version, findings: [...counts.values()] }),
  };
}

/** The case itself reports an answer that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function versionIn(message: unknown): string | undefined {
  const result = isMembers(message) ? message.result : undefined;
  const version = isMembers(result) ? result['solana-core'] : undefined;
  return typeof version === 'string' ? version.slice(0, MAX_VERSION_CHARACTERS) : undefined;
}
