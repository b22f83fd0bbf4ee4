/** Key of the query that holds the sessions of the member. */
export const SESSIONS_KEY = ['sessions'] as const;
