/** A month of UTC of an account, such as 2026-01. */
export type AccountMonth = { readonly accountId: string; readonly month: string };
