/** The most requests that a limit of the wallet service may allow in a window. */
export const MAX_REQUESTS = 1_000_000;

/** Texts of a limit of the wallet service. */
export const DECIMAL_LIMIT = {
  isFit: (text: string): boolean => /^[1-9]\d{0,6}$/.test(text) && Number(text) <= MAX_REQUESTS,
  rule: `must be a whole number from 1 to ${MAX_REQUESTS}`,
} as const;
