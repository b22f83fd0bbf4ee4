/** Any value of a parsed form; integers of 64 bits are bigints. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** The `parsed` member of parsed account data. */
export type ParsedState = { readonly type: string; readonly info?: JsonValue };
