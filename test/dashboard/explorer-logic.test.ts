import { describe, expect, it } from 'vitest';
import type { ParsedMessageInstruction, TransactionError } from '../../generated/ledger/types.ts';
import { CallError } from '../../runtime/call-error.ts';
import { describeData } from '../../src/dashboard/pages/explorer/address/describe-data.ts';
import { readHolding } from '../../src/dashboard/pages/explorer/address/read-token-accounts.ts';
import { curlOf } from '../../src/dashboard/pages/explorer/curl-of.ts';
import { pathText, recognise } from '../../src/dashboard/pages/explorer/recognise.ts';
import { shownValue } from '../../src/dashboard/pages/explorer/shown-value.ts';
import { pageOf, isNoBlock } from '../../src/dashboard/pages/explorer/slot/page-of.ts';
import {
  describeInstructions,
  balanceChanges,
} from '../../src/dashboard/pages/explorer/transaction/describe-instruction.ts';
import { explainTransactionError } from '../../src/dashboard/pages/explorer/transaction/explain-error.ts';
import { describeError } from '../../src/dashboard/parts/describe-error.ts';
import { formatSol, shorten } from '../../src/dashboard/parts/format-number.ts';
import { explorerPath, findNetwork } from '../../src/dashboard/parts/networks.ts';

const ADDRESS = 'CrLun5xkJQhhJmvz3fLDByLWBVFFMNjvoDmaMTnwrWgQ';
const SYSTEM = '11111111111111111111111111111111';
const SIGNATURE = '3rXNqTkSnWj5gRHNsZYUujaMLK7cpQAtp9ah1qczEkFZHoeSNZUpqNrtF7QFckHt6abM2D4CsuiWA5KMTvqEdGYw';

describe('a search', () => {
  it.each([
    [ADDRESS, { kind: 'address', text: ADDRESS }],
    [SYSTEM, { kind: 'address', text: SYSTEM }],
    [` ${SIGNATURE}\n`, { kind: 'signature', text: SIGNATURE }],
    ['0', { kind: 'slot', slot: 0n }],
    ['345,678,901', { kind: 'slot', slot: 345_678_901n }],
    [String(2n ** 64n - 1n), { kind: 'slot', slot: 2n ** 64n - 1n }],
    [String(2n ** 64n), undefined],
    [ADDRESS.slice(2), undefined],
    [`${ADDRESS}0`, undefined],
    ['', undefined],
    ['-1', undefined],
  ])('for %j is recognised', (text, found) => {
    expect(recognise(text)).toEqual(found);
  });

  it('leads to the page of a network', () => {
    const networks = [{ name: 'solana', environment: 'localnet', rpc_path: '/solana-localnet' }] as const;
    const slot = recognise('1,000');
    expect(slot && explorerPath(networks[0], pathText(slot))).toBe('/explorer/solana-localnet/1000');
    expect(findNetwork(networks, 'solana-localnet')).toBe(networks[0]);
    expect(findNetwork(networks, 'solana-mainnet')).toBeUndefined();
  });
});

describe('the error of a transaction, in words', () => {
  it.each<[TransactionError, string]>([
    ['BlockhashNotFound', 'its blockhash has expired or belongs to another network'],
    ['CallChainTooDeep', 'call chain too deep'],
    [
      { InstructionError: [1, { Custom: 1 }] },
      'instruction 2 failed: error 1 of the program itself (for the system and token programs: insufficient funds)',
    ],
    [{ InstructionError: [0, { Custom: 6_001 }] }, 'instruction 1 failed: error 6001 of the program itself'],
    [{ InstructionError: [0, 'CallDepth'] }, 'instruction 1 failed: call depth'],
    [{ DuplicateInstruction: 2 }, 'instruction 3 repeats another'],
    [
      { InsufficientFundsForRent: { account_index: 0 } },
      'account 1 would have too few lamports for its rent',
    ],
    [
      { ProgramExecutionTemporarilyRestricted: { account_index: 3 } },
      'the program at account 4 may not run at the moment',
    ],
  ])('%j', (error, words) => {
    expect(explainTransactionError(error)).toBe(words);
  });
});

describe('a transaction', () => {
  it('changes balances account by account', () => {
    const key = (pubkey: string, signer: boolean, writable: boolean) =>
      ({ pubkey, signer, writable, source: 'transaction' }) as const;
    const keys = [
      key('payer', true, true),
      key('payee', false, true),
      { ...key('program', false, false), source: 'lookupTable' as const },
    ];
    const meta = { preBalances: [10n, 0n, 1n], postBalances: [4n, 5n, 1n] };
    expect(balanceChanges(keys, meta)).toEqual([
      { address: 'payer', roles: 'signer, writable', before: 10n, after: 4n, change: -6n },
      { address: 'payee', roles: 'writable', before: 0n, after: 5n, change: 5n },
      { address: 'program', roles: 'read-only, from a lookup table', before: 1n, after: 1n, change: 0n },
    ]);
  });

  it('shows instructions with those that they called, parsed or not', () => {
    const raw: ParsedMessageInstruction = {
      programId: ADDRESS,
      accounts: [SYSTEM],
      data: '3Bxs',
      stackHeight: 1,
    };
    const memo: ParsedMessageInstruction = {
      program: 'spl-memo',
      programId: SYSTEM,
      parsed: 'hello',
      stackHeight: 2,
    };
    expect(describeInstructions([raw, memo], [{ index: 0, instructions: [memo] }])).toEqual([
      {
        program: 'Program',
        programId: ADDRESS,
        members: { accounts: [SYSTEM], data: '3Bxs' },
        inner: [{ program: 'spl-memo', programId: SYSTEM, type: 'memo', members: 'hello', inner: [] }],
      },
      { program: 'spl-memo', programId: SYSTEM, type: 'memo', members: 'hello', inner: [] },
    ]);
  });
});

describe('a parsed value', () => {
  it('links addresses and signatures, keeps every digit, and cuts long lists', () => {
    expect(shownValue(ADDRESS).kind).toBe('address');
    expect(shownValue(SIGNATURE).kind).toBe('signature');
    expect(shownValue('transfer')).toEqual({ kind: 'text', text: 'transfer' });
    expect(shownValue(2n ** 64n - 1n)).toEqual({ kind: 'text', text: '18446744073709551615' });
    expect(shownValue(250_000_000, 'lamports')).toEqual({ kind: 'text', text: '250,000,000 (0.25 SOL)' });
    expect(shownValue(null)).toEqual({ kind: 'text', text: 'null' });
    expect(shownValue(Array.from({ length: 51 }))).toMatchObject({ kind: 'list', left: 1 });
    expect(shownValue({ a: 1 })).toEqual({ kind: 'members', members: [['a', 1]] });
  });

  it('of an account is parsed data, or its first bytes', () => {
    expect(describeData(['', 'base64'])).toBeUndefined();
    expect(describeData(['x'.repeat(8_001), 'base64'])).toMatchObject({ encoding: 'base64', left: 1 });
    const parsed = { type: 'lookupTable' } as never;
    const data = { program: 'address-lookup-table', parsed, space: 1n } as const;
    expect(describeData(data)).toEqual({ kind: 'parsed', program: 'address-lookup-table', parsed });
    expect(readHolding(ADDRESS, data)).toBeUndefined();
  });

  it('of a token account is its amount in units of the mint', () => {
    const amount = { amount: '1500', decimals: 3, uiAmount: 1.5, uiAmountString: '1.5' };
    const info = {
      mint: SYSTEM,
      owner: SYSTEM,
      state: 'initialized',
      isNative: false,
      tokenAmount: amount,
    } as const;
    const data = { program: 'spl-token', parsed: { type: 'account', info }, space: 165n } as const;
    expect(readHolding(ADDRESS, data)).toEqual({
      address: ADDRESS,
      mint: SYSTEM,
      state: 'initialized',
      amount: '1.5',
    });
  });
});

describe('a slot', () => {
  it('pages its signatures to the last one', () => {
    const signatures = ['a', 'b', 'c'];
    const first = pageOf(signatures, { limit: 2 });
    expect(first).toEqual({
      rows: [
        { place: 1, signature: 'a' },
        { place: 2, signature: 'b' },
      ],
      next_cursor: '2',
    });
    expect(pageOf(signatures, { limit: 2, cursor: '2' })).toEqual({ rows: [{ place: 3, signature: 'c' }] });
    expect(pageOf(signatures, { limit: 3 }).next_cursor).toBeUndefined();
  });

  it('without a block is told from a call that failed', () => {
    const refusal = (code: number) =>
      new CallError('getBlock', { kind: 'rpc', status: 200, code, message: 'x', data: undefined });
    expect(isNoBlock(refusal(-32007))).toBe(true);
    expect(isNoBlock(refusal(-32602))).toBe(false);
    expect(isNoBlock(new Error('x'))).toBe(false);
  });
});

describe('what is shown', () => {
  it('prints lamports in SOL, exactly', () => {
    expect([0n, 1n, 1_000_000_000n, -5_000n, 2n ** 64n - 1n].map(formatSol)).toEqual([
      ...['0', '0.000000001', '1', '-0.000005', '18,446,744,073.709551615'],
    ]);
  });

  it('shortens long texts in the middle', () => {
    expect(shorten(ADDRESS)).toBe('CrLun5…nwrWgQ');
    expect(shorten('1234567890123')).toBe('1234567890123');
  });

  it('tells a command that makes a call with the key of the environment', () => {
    expect(curlOf('http://h/solana', 'getBlock', [10n, { encoding: "it's" }])).toBe(
      `curl -sS 'http://h/solana' \\
  -H "x-api-key: $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[10,{"encoding":"it'\\''s"}]}'`,
    );
  });

  it('puts the failures of a network into words', () => {
    const refused = {
      kind: 'rpc',
      status: 200,
      code: -32_002,
      message: 'Simulation failed',
      data: 1,
    } as const;
    expect(describeError(new CallError('sendTransaction', refused)).text).toBe('Simulation failed (-32002).');
    expect(describeError(new CallError('getSlot', { kind: 'network' })).remedy).toContain('connection');
    expect(describeError(new CallError('getSlot', { kind: 'http', status: 502 })).text).toContain('502');
  });
});
