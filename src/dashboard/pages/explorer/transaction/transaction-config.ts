/** How transactions are asked for: parsed, of every version that nodes write. */
export const TRANSACTION_CONFIG = {
  encoding: 'jsonParsed',
  commitment: 'confirmed',
  maxSupportedTransactionVersion: 1,
} as const;
