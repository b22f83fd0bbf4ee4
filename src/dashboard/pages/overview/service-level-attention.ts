import type { Availability } from '../../../../generated/account/types.ts';
import { printTime } from '../../parts/calendar.ts';
import { printPercent } from '../service-level/print-minutes.ts';
import type { Attention } from './attention-item.ts';

const SOON_MS = 48 * 3_600_000;
const LINK = { href: '/service-level', title: 'Service level' };

/** Returns notices of a used-up error budget, and of work that is under way or begins within 48 hours. */
export function ofServiceLevel(availability: Availability | undefined, nowMs: number): readonly Attention[] {
  if (availability === undefined) return [];
  return [...ofBudget(availability), ...ofWork(availability, nowMs)];
}

function ofBudget({ current, error_budget: budget }: Availability): readonly Attention[] {
  if (Number(budget.used_minutes) === 0 || Number(budget.left_minutes) > 0) return [];
  const reached = printPercent(current.availability_percent);
  const text = `The error budget of this month is used up: the wallet service was available ${reached} of the time so far.`;
  return [{ id: 'budget', tone: 'bad', text, link: LINK }];
}

function ofWork({ planned_work: works }: Availability, nowMs: number): readonly Attention[] {
  return works
    .filter((work) => Date.parse(work.ends_at) > nowMs && Date.parse(work.starts_at) <= nowMs + SOON_MS)
    .map(({ work_id: id, starts_at, ends_at, note }) => ({
      id,
      tone: 'warn',
      link: LINK,
      text:
        Date.parse(starts_at) > nowMs
          ? `Work on the server is planned for ${printTime(starts_at)}: ${note}.`
          : `Work on the server is under way until ${printTime(ends_at)}: ${note}.`,
    }));
}
