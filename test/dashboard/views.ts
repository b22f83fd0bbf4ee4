import type { DashboardView } from './open-dashboard.ts';

type View = Required<Pick<DashboardView, 'width' | 'colorScheme'>>;

/** Each width and each scheme once: what is too wide is so in both schemes, and a colour that is too pale at both widths. */
export const VIEWS: readonly View[] = [
  { width: 375, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
];

/** The same the other way round, for pages that another suite looks at in VIEWS. */
export const OTHER_VIEWS: readonly View[] = [
  { width: 375, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
];
