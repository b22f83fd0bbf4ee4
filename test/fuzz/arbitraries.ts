import fc from 'fast-check';

/** JSON white space, mostly none. */
export const space = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 5 }),
);

const MAX_U64 = 2n ** 64n - 1n;

/** Every u64, above all those at which a double or a signed integer gives way. */
export const u64 = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_U64 }),
  fc.bigInt({ min: MAX_U64 - 1025n, max: MAX_U64 }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n + 3n }),
);

/** Integers that are no u64: from 2^64 on, and below zero. */
export const noU64 = fc.oneof(
  fc.constant(MAX_U64 + 1n),
  fc.bigInt({ min: MAX_U64 + 1n, max: 2n ** 70n }),
  fc.bigInt({ min: -(2n ** 65n), max: -1n }),
);

/** Raw id tokens that nodes take and echo in the same bytes. */
export const plainId = fc.oneof(
  u64.map(String),
  fc.constant('null'),
  fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((text) => !/["\\\p{Cc}\p{Cs}]/u.test(text))
    .map((text) => `"${text}"`),
);

/** Raw id tokens that are JSON-RPC and that nodes refuse, or may print otherwise. */
export const oddId = fc.oneof(
  noU64.map(String),
  fc.constantFrom('-0', '1.0', '1e3', '1E400', '0.1e-7', '"\\u0061"', '"\\ud800"', '"a\\/b"', '"\\\\\\""'),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
    .map((value) => `${value.toFixed(3)}`),
);

/** JSON text that no printer would give back: raw integers, other notations, white space, members that stand twice. */
export const rawJson: fc.Arbitrary<string> = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(u64, noU64).map(String),
    fc.constantFrom('1.0', '-0', '1E+5', '"\\u00e9"', '"é\\/"', 'null', 'true', '[]', '{ }', '""'),
    fc
      .tuple(space, fc.array(tie('json'), { maxLength: 4 }))
      .map(([gap, items]) => `[${gap}${items.join(`${gap},`)}]`),
    fc
      .tuple(
        space,
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'id', 'a\\u0062'), tie('json')), { maxLength: 4 }),
      )
      .map(
        ([gap, members]) =>
          `{${gap}${members.map(([name, value]) => `"${name}"${gap}:${value}`).join(`,${gap}`)}}`,
      ),
  ),
})).json;

/** A call as text, with white space wherever it may stand. */
export function callText(gap: string, id: string, method: string, params: string): string {
  const members = [
    `"jsonrpc"${gap}:"2.0"`,
    `"id":${gap}${id}${gap}`,
    `"method":"${method}"`,
    `"params"${gap}:${params}`,
  ];
  return `{${gap}${members.join(`,${gap}`)}}`;
}
