// `make bench` runs this: how soon the overview of the dashboard can be used, by the trace of a browser.
import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { startMemberServer } from '../account/api/sessions/member-server.ts';
import { fillAccount } from '../dashboard/fill-account.ts';
import { findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres } from '../support/postgres.ts';

type TraceEvent = {
  readonly name: string;
  readonly ts: number;
  readonly dur?: number;
  readonly tid: number;
  readonly pid: number;
  readonly args?: {
    readonly data?: {
      readonly score?: number;
      readonly had_recent_input?: boolean;
      readonly isMainFrame?: boolean;
    };
  };
};

/** A load of the page, in milliseconds from the beginning of the navigation. */
type Load = {
  readonly painted: number;
  readonly shown: number;
  readonly interactive: number;
  readonly shifted: number;
};

const ROUNDS = 5;
/** A task that holds up the page: input waits longer than this (Web Vitals). */
const LONG_TASK_MICROS = 50_000;
const CATEGORIES = [
  'devtools.timeline',
  'loading',
  'blink.user_timing',
  'toplevel',
  'disabled-by-default-devtools.timeline',
];

/** Two frames after what is shown, so that its paint is in the trace, then the first quiet moment. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(resolve))))`;

const executable = findChromium();
const postgres = await findPostgres();
if (executable === undefined || postgres === undefined) {
  console.log('dashboard: needs Chromium (apt-get install chromium) and PostgreSQL on 127.0.0.1:5432');
  process.exit(0);
}
await using world = await startMemberServer(postgres);
const { email } = await fillAccount(world, 'acme');
const browser = await startChromium(executable);
try {
  const loads = await measure(browser, `${world.server.baseUrl}/dashboard`);
  const rows = loads.map(
    ([name, load]) => `| ${name} | ${load.painted} | ${load.shown} | ${load.interactive} | ${load.shifted} |`,
  );
  const table = [
    '| load | first paint ms | overview shown ms | interactive ms | layout shift |',
    '|---|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
  console.log(table);
  const text = `# The dashboard's overview in a browser\n\nMedians of ${ROUNDS} loads each at 1,440 px over loopback, by Chromium's trace. Interactive: the overview is shown, and\nno task of more than 50 ms runs any more. The second load has the assets in its cache.\n\n${table}\n`;
  await writeFile(new URL('dashboard-results.md', import.meta.url), text);
} finally {
  await browser.close();
}

async function measure(on: Browser, address: string): Promise<readonly (readonly [string, Load])[]> {
  const [first, second]: [Load[], Load[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await on.newContext({ viewport: { width: 1_440, height: 900 } });
    const page = await context.newPage();
    first.push(await trace(on, page, address, () => signIn(page)));
    second.push(await trace(on, page, address));
    await context.close();
  }
  return [
    ['sign-in, first', median(first)],
    ['overview, second', median(second)],
  ];
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
}

/** Traces a load until its heading is shown and the page is quiet. @param after done once the trace has ended. */
async function trace(on: Browser, page: Page, address: string, after?: () => Promise<void>): Promise<Load> {
  await on.startTracing(page, { categories: CATEGORIES });
  await page.goto(address, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(`performance.mark('shown')`);
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  await page.evaluate(SETTLED);
  const { traceEvents } = JSON.parse((await on.stopTracing()).toString()) as {
    readonly traceEvents: TraceEvent[];
  };
  await after?.();
  return readTrace(traceEvents);
}

function readTrace(events: readonly TraceEvent[]): Load {
  const shown = events.find(({ name }) => name === 'shown');
  const start = events
    .filter(({ name, ts, pid }) => name === 'navigationStart' && pid === shown?.pid && ts < shown.ts)
    .sort((a, b) => a.ts - b.ts)
    .at(-1);
  const painted = events.find(({ name, ts }) => name === 'firstContentfulPaint' && ts > (start?.ts ?? 0));
  if (start === undefined || shown === undefined || painted === undefined)
    throw new Error('the trace lacks the navigation, the paint or the mark');
  const long = events.filter(
    ({ name, dur = 0, ts, pid, tid }) =>
      name === 'RunTask' && dur > LONG_TASK_MICROS && ts > start.ts && pid === shown.pid && tid === shown.tid,
  );
  const ends = long.map(({ ts, dur = 0 }) => ts + dur);
  const shifts = events.filter(({ name, ts }) => name === 'LayoutShift' && ts > start.ts);
  const since = (ts: number): number => Math.round((ts - start.ts) / 1_000);
  return {
    painted: since(painted.ts),
    shown: since(shown.ts),
    interactive: since(Math.max(shown.ts, painted.ts, ...ends)),
    shifted: shifts.reduce(
      (sum, { args }) => sum + (args?.data?.had_recent_input ? 0 : (args?.data?.score ?? 0)),
      0,
    ),
  };
}

function median(loads: readonly Load[]): Load {
  const middle = (read: (load: Load) => number): number =>
    loads.map(read).sort((a, b) => a - b)[Math.floor(loads.length / 2)] ?? Number.NaN;
  return {
    painted: middle(({ painted }) => painted),
    shown: middle(({ shown }) => shown),
    interactive: middle(({ interactive }) => interactive),
    shifted: Math.max(...loads.map(({ shifted }) => shifted)),
  };
}
