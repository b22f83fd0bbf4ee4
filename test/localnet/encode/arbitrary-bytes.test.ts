import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstruction } from '../../../src/localnet/encode/parsed-instruction/parse-instruction.ts';
import * as programs from '../../../src/localnet/addresses/program-ids.ts';
import * as sysvars from '../../../src/localnet/addresses/sysvar-addresses.ts';
import { accountOf, parseChecked } from './account-case.ts';
import { address } from './instruction-case.ts';
import { mintBytes, tokenAccountBytes, withExtensions } from './token-bytes.ts';
import { rounds } from '../../support/tier.ts';

const ALL_PROGRAMS = Object.values(programs);
const KEYS = [...ALL_PROGRAMS, address(1), address(2), address(3)];
const mints = new Map([[address(1), accountOf({ data: mintBytes() })]]);
const terms = { mintOf: (mint: string) => mints.get(mint), nowSeconds: 1_700_000_000n };

/** Bytes that often look like something: small numbers first, then anything. */
const bytes = fc
  .tuple(fc.array(fc.nat(50), { maxLength: 12 }), fc.uint8Array({ maxLength: 200 }))
  .map(([head, tail]) => Uint8Array.from([...head, ...tail]));

describe('whatever the bytes', () => {
  test.each(ALL_PROGRAMS)('an instruction of %s is parsed or not, but nothing is thrown', (program) => {
    const accounts = fc.array(fc.nat(KEYS.length), { maxLength: 9 });
    fc.assert(
      fc.property(bytes, accounts, (data, indexes) => {
        const instruction = { programIdIndex: KEYS.indexOf(program), accounts: indexes, data };
        const parsed = parseInstruction(program, instruction, KEYS, 1);
        if (parsed !== undefined) expect(parsed).toMatchObject({ programId: program, stackHeight: 1 });
      }),
      { numRuns: rounds(500) },
    );
  });

  test.each(ALL_PROGRAMS)(
    'an account of %s is parsed as specified or not, but nothing is thrown',
    (owner) => {
      const at = fc.constantFrom(...Object.values(sysvars), address(9));
      fc.assert(
        fc.property(bytes, at, (data, where) => void parseChecked(where, accountOf({ data, owner }), terms)),
      );
    },
  );

  test.each([Number.POSITIVE_INFINITY, Number.NaN])(
    'a sysvar whose float is %d, which JSON has no form for, is not parsed',
    (value) => {
      const data = new Uint8Array(Float64Array.of(value).buffer);
      const account = accountOf({ data, owner: programs.SYSVAR_OWNER });
      expect(parseChecked(sysvars.SYSVAR_REWARDS, account, terms)).toBeUndefined();
    },
  );

  test('an extension of a mint or token account is parsed as specified', () => {
    const entry = fc.tuple(fc.nat(30), fc.uint8Array({ maxLength: 120 }));
    const entries = fc.array(entry, { minLength: 1, maxLength: 4 });
    const base = fc.constantFrom(mintBytes(), tokenAccountBytes());
    fc.assert(
      fc.property(base, entries, (state, list) => {
        const data = withExtensions(state, ...list);
        const parsed = parseChecked(
          address(9),
          accountOf({ data, owner: programs.TOKEN_2022_PROGRAM }),
          terms,
        );
        expect(parsed === undefined).toBe(data.length === 355);
      }),
    );
  });
});
