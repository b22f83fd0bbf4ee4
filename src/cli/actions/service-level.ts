import type { Availability, PlannedWork } from '../../../generated/account/types.ts';
import { isPrintable } from '../../../runtime/printable.ts';
import { workFault } from '../../account/service-level/planned-work.ts';
import { mistake } from '../../operate/admin/admin-request.ts';
import { type Columns, tableOf } from '../text-table.ts';
import { type Action, type Given, local, operation, readDuration, readFuture } from './action.ts';

/** The commands about the service level of the wallet service. */
export const SERVICE_LEVEL_ACTIONS = {
  availability: ({ words: [account] }: Given) =>
    local({ kind: 'availability', account }, describeAvailability),
  'planned-work list': () =>
    operation(
      { operation: 'listPlannedWork' },
      (answer) => answer,
      ({ planned_work: works }) =>
        works.length === 0 ? 'No work is planned.\n' : tableOf(WORK_COLUMNS, works),
    ),
  'planned-work announce': announceWork,
  'planned-work cancel': ({ words: [id = ''] }: Given) =>
    operation(
      { operation: 'cancelWork', id },
      (work) => work,
      (work) =>
        `Cancelled the work at ${printMinute(work.starts_at)} (${work.work_id}). Its minutes count towards availability.\n`,
    ),
} satisfies Record<string, (given: Given) => Action>;

type Shown = Availability & { readonly account: string | null };

/** The options that set the times of work. */
const OPTIONS = { starts_at: '--from', ends_at: '--until' } as const;

function announceWork({ options, nowMs }: Given): Action {
  const startMs = readFuture('from', options.from, nowMs);
  const durationMs = readDuration('for', options);
  if (durationMs === undefined)
    throw mistake('planned-work announce: missing --for DURATION, such as 90m or 2h');
  const { note } = options;
  if (!isPrintable(note, 200))
    throw mistake('--note must have 1 to 200 printable characters; all accounts can read it');
  const endMs = startMs + durationMs;
  const fault = workFault({ startMs, endMs }, nowMs);
  if (fault !== undefined) throw mistake(`${OPTIONS[fault.member]} ${fault.detail}`);
  const body = {
    starts_at: new Date(startMs).toISOString(),
    ends_at: new Date(endMs).toISOString(),
    note,
  };
  return operation(
    { operation: 'announceWork', body },
    (work) => work,
    (work) =>
      `Announced ${work.minutes} minutes of work from ${printMinute(work.starts_at)} (${work.work_id}).\n${describeCounted(work)}`,
  );
}

const MONTH_COLUMNS: Columns<Availability['history'][number]> = {
  MONTH: 'month',
  OF: 'of',
  '>AVAILABLE %': 'availability_percent',
  '>MINUTES': 'minutes',
  '>UNAVAILABLE': 'unavailable_minutes',
  '>CREDIT USD': 'credit_usd',
};

const WORK_COLUMNS: Columns<PlannedWork> = {
  ID: 'work_id',
  BEGINS: ({ starts_at: startsAt }) => printMinute(startsAt),
  '>MINUTES': 'minutes',
  '>NOT COUNTED': 'excluded_minutes',
  NOTE: 'note',
  STATE: ({ counts_because: reason }) => reason?.replace('_', ' '),
};

const REASONS: Readonly<Record<NonNullable<PlannedWork['counts_because']>, string>> = {
  cancelled: 'it was cancelled',
  announced_late: 'it was announced too late',
  allowance_used: 'the month has no more minutes for planned work',
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
      : [`  if the month ended now, ${current.credit_percent} % of its charges would be refunded`]),
  ];
  const months = history.length === 0 ? '' : `\n${tableOf(MONTH_COLUMNS, history)}`;
  const planned = works.length === 0 ? '' : `\n${tableOf(WORK_COLUMNS, works)}`;
  return `${lines.join('\n')}\n${months}${planned}`;
}

function describeCounted({
  minutes,
  excluded_minutes: excluded,
  counts_because: reason,
}: PlannedWork): string {
  if (reason === undefined) return 'None of them counts towards availability.\n';
  return excluded === 0
    ? `They count towards availability: ${REASONS[reason]}.\n`
    : `${excluded} of them do not count towards availability. The other ${minutes - excluded} do: ${REASONS[reason]}.\n`;
}

function printMinute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}
