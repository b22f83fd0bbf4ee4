import type { Availability, PlannedWork } from '../../generated/account/types.ts';
import { textTable } from './text-table.ts';

type Shown = Availability & { readonly account: string | null };

const MONTHS = ['MONTH', 'OF', 'AVAILABLE %', 'MINUTES', 'UNAVAILABLE', 'CREDIT USD'];
const WORK = ['ID', 'BEGINS', 'MINUTES', 'NOT COUNTED', 'NOTE', 'STATE'];

const REASONS: Readonly<Record<NonNullable<PlannedWork['counts_because']>, string>> = {
  cancelled: 'it is cancelled',
  announced_late: 'it was announced too late',
  allowance_used: 'the month has no more minutes for planned work',
};

/** The texts of the results of requests about the service level. */
export const SERVICE_LEVEL_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  availability: describeAvailability,
  'planned-work.list': ({ planned_work: works }: { readonly planned_work: readonly PlannedWork[] }) =>
    works.length === 0 ? 'No work is planned.\n' : describeWorks(works),
  'planned-work.announce': (work: PlannedWork) =>
    `Announced ${work.minutes} minutes of work from ${printMinute(work.starts_at)} (${work.work_id}).\n${describeStanding(work)}`,
  'planned-work.cancel': (work: PlannedWork) =>
    `Cancelled the work of ${printMinute(work.starts_at)} (${work.work_id}). Its minutes count.\n`,
};

function describeAvailability(shown: Shown): string {
  const { account, current, error_budget: budget, history, planned_work: works } = shown;
  const of = account === null ? 'the wallet service' : `the wallet service for ${account}`;
  const lines = [
    `Availability of ${of} in ${current.month} so far: ${current.availability_percent} % (target ${shown.target_percent} %)`,
    `  ${current.unavailable_minutes} of ${current.minutes} minutes unavailable, ${current.planned_minutes} minutes of planned work not counted`,
    `  error budget: ${budget.left_minutes} of ${budget.allowed_minutes} minutes left (${budget.left_percent} %)`,
    ...(current.credit_percent === 0
      ? []
      : [`  if the month ended now, ${current.credit_percent} % of its charges would be given back`]),
  ];
  const months = history.length === 0 ? '' : `\n${describeMonths(history)}`;
  const planned = works.length === 0 ? '' : `\n${describeWorks(works)}`;
  return `${lines.join('\n')}\n${months}${planned}`;
}

function describeMonths(history: Availability['history']): string {
  const rows = history.map((each) => [
    ...[each.month, each.of, each.availability_percent, String(each.minutes), each.unavailable_minutes],
    each.credit_usd ?? '',
  ]);
  return textTable(MONTHS, rows, MONTHS.slice(2));
}

function describeWorks(works: readonly PlannedWork[]): string {
  const rows = works.map((work) => [
    ...[work.work_id, printMinute(work.starts_at), String(work.minutes), String(work.excluded_minutes)],
    ...[work.note, work.counts_because?.replace('_', ' ') ?? ''],
  ]);
  return textTable(WORK, rows, ['MINUTES', 'NOT COUNTED']);
}

function describeStanding({
  minutes,
  excluded_minutes: excluded,
  counts_because: reason,
}: PlannedWork): string {
  if (reason === undefined) return 'None of them counts towards availability.\n';
  return excluded === 0
    ? `They count towards availability as any minute: ${REASONS[reason]}.\n`
    : `${excluded} of them do not count towards availability. The other ${minutes - excluded} do: ${REASONS[reason]}.\n`;
}

function printMinute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}
