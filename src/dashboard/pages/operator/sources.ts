/** Where a limit comes from, in words. */
export const SOURCES = { spec: 'default of the server', plan: 'by the plan', store: 'set for it' } as const;
