/** The source of a limit, in words. */
export const SOURCES = {
  spec: 'server default',
  plan: 'from the plan',
  store: 'set for this account',
} as const;
