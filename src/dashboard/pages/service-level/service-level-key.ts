/** Key of the query that holds the availability of the wallet service for the account. */
export const SERVICE_LEVEL_KEY = ['availability'] as const;
