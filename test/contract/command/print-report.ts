import {
  countCases,
  countLimited,
  type CaseReport,
  isFulfilled,
  type MethodReport,
} from './method-reports.ts';

export type RunReport = {
  /** The address of the server, without its query. */
  readonly url: string;
  readonly methods: readonly MethodReport[];
};

/** A line per method, what differs below it, and the counts. */
export function printText({ url, methods }: RunReport): string {
  const width = Math.max(...methods.map(({ method }) => method.length));
  const lines = methods.flatMap((report) => [
    `${report.verdict.padEnd(9)} ${report.method.padEnd(width)}  ${counts(report)}`,
    ...(report.verdict === 'absent' ? [] : report.cases.flatMap(difference)),
  ]);
  const total = (verdict: MethodReport['verdict']): number =>
    methods.filter((report) => report.verdict === verdict).length;
  const summary = (['holds', 'differs', 'absent', 'unproven'] as const)
    .map((verdict) => `${verdict} ${total(verdict)}`)
    .join(', ');
  return `${url}\n\n${lines.join('\n')}\n\n${methods.length} methods: ${summary}\n${limitText(methods)}`;
}

/** What a server's limit kept from being shown. */
export function limitText(methods: readonly MethodReport[]): string {
  const limited = countLimited(methods);
  return limited === 0
    ? ''
    : `${limited} cases were not answered: the server limits the rate of calls (HTTP 429), longer than it was waited for. Of these nothing is shown; try --rate N.\n`;
}

/** The same as JSON; cases that held are only counted. */
export function printAsJson({ url, methods }: RunReport): string {
  const shown = methods.map((report) => ({
    method: report.method,
    verdict: report.verdict,
    held: countCases(report, 'held'),
    leftOut: countCases(report, 'left-out'),
    cases: report.cases.filter(({ outcome }) => outcome !== 'held' && outcome !== 'left-out'),
  }));
  return `${JSON.stringify({ url, isFulfilled: isFulfilled(methods), limited: countLimited(methods), methods: shown }, null, 2)}\n`;
}

/** The same as JUnit XML: a suite per method, a test per case; what was not shown is skipped. */
export function printJunit({ url, methods }: RunReport): string {
  const suites = methods.map((report) => {
    const { method, cases } = report;
    const failed = countCases(report, 'differed') + countCases(report, 'absent');
    const skipped = cases.length - failed - countCases(report, 'held');
    return `  <testsuite name="${xml(method)}" tests="${cases.length}" failures="${failed}" skipped="${skipped}">
${cases.map((item) => testCase(method, item)).join('')}  </testsuite>
`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(url)}">\n${suites.join('')}</testsuites>\n`;
}

function counts(report: MethodReport): string {
  const kinds = ['held', 'differed', 'absent', 'unproven', 'limited', 'left-out'] as const;
  return kinds
    .map((outcome) => [countCases(report, outcome), outcome.replace('-', ' ')] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}

function difference({ kind, name, outcome, failures }: CaseReport): readonly string[] {
  if (outcome !== 'differed' && outcome !== 'absent') return [];
  return [`  ${kind}: ${name}`, ...failures.map((failure) => `      ${failure}`)];
}

function testCase(method: string, { kind, name, outcome, failures }: CaseReport): string {
  const opening = `    <testcase classname="${xml(method)}" name="${xml(`${kind}: ${name}`)}"`;
  if (outcome === 'held') return `${opening}/>\n`;
  const inner =
    outcome === 'differed' || outcome === 'absent'
      ? `<failure message="${xml(outcome)}">${xml(failures.join('\n'))}</failure>`
      : `<skipped message="${xml(outcome)}"/>`;
  return `${opening}>${inner}</testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML 1.0; a character that XML has no form for becomes U+FFFD. */
function xml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '\uFFFD');
}
