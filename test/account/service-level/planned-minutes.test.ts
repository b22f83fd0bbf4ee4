import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE_MS, monthSpan, type Span } from '../../../src/account/service-level/month-span.ts';
import {
  type AnnouncedWork,
  isInTime,
  plannedMinutes,
} from '../../../src/account/service-level/planned-work-rows.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ALLOWANCE = 240;
const MONTH = monthSpan('2026-02');

const work = (startMs: number, minutes: number, own: Partial<AnnouncedWork> = {}): AnnouncedWork => ({
  startMs,
  endMs: startMs + minutes * MINUTE_MS,
  announcedMs: startMs - 2 * DAY_MS,
  cancelledMs: undefined,
  ...own,
});

const minutesOf = (spans: readonly Span[]): readonly number[] =>
  spans.flatMap(({ startMs, endMs }) =>
    Array.from({ length: (endMs - startMs) / MINUTE_MS }, (_, index) => startMs + index * MINUTE_MS),
  );

test('work counts that was announced 24 hours before it begins, not a millisecond later', () => {
  const startMs = MONTH.startMs + 10 * DAY_MS;
  expect(isInTime({ startMs, announcedMs: startMs - DAY_MS })).toBe(true);
  expect(isInTime({ startMs, announcedMs: startMs - DAY_MS + 1 })).toBe(false);
  expect(plannedMinutes([work(startMs, 5, { announcedMs: startMs - DAY_MS + 1 })], MONTH)).toEqual([]);
});

test('cancelled work does not count', () => {
  const startMs = MONTH.startMs + 10 * DAY_MS;
  expect(plannedMinutes([work(startMs, 5, { cancelledMs: startMs - 1 })], MONTH)).toEqual([]);
});

test('240 minutes of a month count, the first ones first, and the next month has its own', () => {
  const late = work(MONTH.endMs - 60 * MINUTE_MS, 120);
  const early = work(MONTH.startMs + 5 * DAY_MS, 200);
  const planned = plannedMinutes([late, early], MONTH);
  expect(planned).toEqual([
    { startMs: early.startMs, endMs: early.endMs },
    { startMs: late.startMs, endMs: late.startMs + 40 * MINUTE_MS },
  ]);
  expect(plannedMinutes([late, early], monthSpan('2026-03'))).toEqual([
    { startMs: MONTH.endMs, endMs: late.endMs },
  ]);
});

test('for any work the minutes are those that a walk through the month counts', () => {
  const arbitraryWork = fc.record({
    start: fc.integer({ min: -600, max: 2_000 }),
    minutes: fc.integer({ min: 1, max: 400 }),
    noticeHours: fc.integer({ min: 20, max: 30 }),
    isCancelled: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(arbitraryWork, { maxLength: 8 }), (made) => {
      const works = made.map(({ start, minutes, noticeHours, isCancelled }) => {
        const startMs = MONTH.startMs + start * MINUTE_MS;
        const announcedMs = startMs - noticeHours * HOUR_MS;
        return work(startMs, minutes, { announcedMs, cancelledMs: isCancelled ? startMs - 1 : undefined });
      });
      const wanted: number[] = [];
      for (let minute = MONTH.startMs; minute < MONTH.startMs + 3_000 * MINUTE_MS; minute += MINUTE_MS) {
        const isPlanned = works.some(
          (each) =>
            each.cancelledMs === undefined &&
            each.startMs - each.announcedMs >= DAY_MS &&
            each.startMs <= minute &&
            minute < each.endMs,
        );
        if (isPlanned && wanted.length < ALLOWANCE) wanted.push(minute);
      }
      expect(minutesOf(plannedMinutes(works, MONTH))).toEqual(wanted);
    }),
  );
});
