/** The kinds of integers that a schema names in `x-int`. */
export const INT_KINDS = ['u8', 'u16', 'u32', 'u64', 'i16', 'i64', 'usize'] as const;
export type IntKind = (typeof INT_KINDS)[number];

/** The lowest and the highest value of each kind. */
export const INT_BOUNDS: Readonly<Record<IntKind, readonly [bigint, bigint]>> = {
  u8: [0n, 2n ** 8n - 1n],
  u16: [0n, 2n ** 16n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  u64: [0n, 2n ** 64n - 1n],
  i16: [-(2n ** 15n), 2n ** 15n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  usize: [0n, 2n ** 64n - 1n],
};

/** True when values of the kind exceed 2^53: exact as bigint only. */
export const isWideKind = (kind: IntKind): boolean => INT_BOUNDS[kind][1] > BigInt(Number.MAX_SAFE_INTEGER);
