import { describe, expect, it } from 'vitest';
import { errorEntry } from '../../generated/errors.ts';
import { type CallName, checkParams } from '../../generated/ledger/params.ts';
import { PARAMS_CHECKS } from '../../generated/ledger/params-checks.js';
import { printJson } from '../../runtime/json.ts';

const ADDRESS = '11111111111111111111111111111111';
const SIGNATURE = '1'.repeat(64);

/** The message as a client reads it, and the parameter it is about. */
const answer = (method: CallName, params: unknown): string | undefined => {
  const violation = checkParams(method, params);
  if (!violation) return undefined;
  const { code, message = '' } = errorEntry(violation.error).jsonrpc ?? {};
  const text = message.replace(/\{(\w+)\}/g, (_, name: string) => String(violation.context[name]));
  return `${code} ${text}${violation.context.parameter === undefined ? '' : ` @${violation.context.parameter}`}`;
};

type Row = readonly [CallName, unknown, string];

const refused: readonly Row[] = [
  ['getBalance', {}, '-32602 `params` should be an array'],
  ['getBalance', undefined, '-32602 `params` should have at least 1 argument(s)'],
  ['getBalance', [ADDRESS, null, null], '-32602 Invalid parameters: Expected from 1 to 2 parameters.'],
  ['getVersion', [null], '-32602 Invalid parameters: No parameters were expected'],
  ['getBalance', [null], '-32602 Invalid params: invalid type: null, expected a string. @address'],
  ['getBalance', [5], '-32602 Invalid params: invalid type: integer `5`, expected a string. @address'],
  [
    'getBalance',
    [1.5],
    '-32602 Invalid params: invalid type: floating point `1.5`, expected a string. @address',
  ],
  ['getBalance', [true], '-32602 Invalid params: invalid type: boolean `true`, expected a string. @address'],
  ['getBalance', [{}], '-32602 Invalid params: invalid type: map, expected a string. @address'],
  ['getBalance', [[]], '-32602 Invalid params: invalid type: sequence, expected a string. @address'],
  ['getBalance', ['0'], '-32602 Invalid param: Invalid @address'],
  ['getBalance', ['1'], '-32602 Invalid param: WrongSize @address'],
  ['getBalance', ['0'.repeat(45)], '-32602 Invalid param: WrongSize @address'],
  ['isBlockhashValid', ['0'], '-32602 Invalid @blockhash'],
  ['isBlockhashValid', ['1'], '-32602 WrongSize @blockhash'],
  ['getBlockTime', ['x'], '-32602 Invalid params: invalid type: string "x", expected u64. @slot'],
  ['getBlockTime', [-1], '-32602 Invalid params: invalid value: integer `-1`, expected u64. @slot'],
  [
    'getBlockTime',
    [2n ** 64n],
    '-32602 Invalid params: invalid value: integer `18446744073709551616`, expected u64. @slot',
  ],
  [
    'getBlockTime',
    [1e300],
    '-32602 Invalid params: invalid type: floating point `1e+300`, expected u64. @slot',
  ],
  [
    'getBalance',
    [ADDRESS, { minContextSlot: '5' }],
    '-32602 Invalid params: invalid type: string "5", expected u64. @config.minContextSlot',
  ],
  [
    'getAccountInfo',
    [ADDRESS, { dataSlice: { offset: 0 } }],
    '-32602 Invalid params: missing field `length`. @config.dataSlice',
  ],
  [
    'getSignatureStatuses',
    [[SIGNATURE, 7]],
    '-32602 Invalid params: invalid type: integer `7`, expected a string. @signatures[1]',
  ],
  [
    'getSignatureStatuses',
    [Array(257).fill(SIGNATURE)],
    '-32602 Too many inputs provided; max 256 @signatures',
  ],
  [
    'getInflationGovernor',
    [{ commitment: 'x' }],
    '-32602 Invalid params: unknown variant `x`, expected one of `processed`, `confirmed`, `finalized`. @config.commitment',
  ],
  [
    'getLargestAccounts',
    [{ filter: 'x' }],
    '-32602 Invalid params: unknown variant `x`, expected `circulating` or `nonCirculating`. @config.filter',
  ],
  ['getSlotLeaders', [1, 0], '-32602 Invalid limit; max 5000 @limit'],
  ['getSlotLeaders', [1, 5001], '-32602 Invalid limit; max 5000 @limit'],
  ['getBlocks', [5, 500_006], '-32602 Slot range too large; max 500000 @endSlot'],
  ['getBlocks', [0, 2n ** 63n], '-32602 Slot range too large; max 500000 @endSlot'],
  [
    'getBlocks',
    [5, true],
    '-32602 Invalid params: data did not match any variant of untagged enum RpcBlocksConfigWrapper. @endSlot',
  ],
  [
    'getBlocks',
    [5, { commitment: 'processed' }],
    '-32602 Method does not support commitment below `confirmed` @endSlot.commitment',
  ],
  [
    'getBlocks',
    [5, 6, { commitment: 'processed' }],
    '-32602 Method does not support commitment below `confirmed` @config.commitment',
  ],
  [
    'simulateTransaction',
    ['AA', { sigVerify: true, replaceRecentBlockhash: true }],
    '-32602 sigVerify may not be used with replaceRecentBlockhash @config',
  ],
  [
    'simulateTransaction',
    ['AA', { accounts: { encoding: 'base58', addresses: [] } }],
    '-32602 base58 encoding not supported @config.accounts.encoding',
  ],
  [
    'sendTransaction',
    ['AA', { encoding: 'json' }],
    '-32602 unsupported encoding: json. Supported encodings: base58, base64 @config.encoding',
  ],
  ['getMinimumBalanceForRentExemption', [10_485_761], '-32600 Invalid request @dataLength'],
  ['getBlocksWithLimit', [0, 500_001], '-32602 Limit too large; max 500000 @limit'],
  [
    'getProgramAccounts',
    [ADDRESS, { filters: Array(5).fill({ dataSize: 1 }) }],
    '-32602 Too many filters provided; max 4 @config.filters',
  ],
  [
    'getProgramAccounts',
    [ADDRESS, { filters: [{ memcmp: { offset: 0, bytes: Array(129).fill(1) } }] }],
    '-32602 Invalid param: DataTooLarge @config.filters[0].memcmp.bytes',
  ],
  ['slotSubscribe', [null], '-32602 Invalid parameters: No parameters were expected'],
  ['accountSubscribe', [], '-32602 `params` should have at least 1 argument(s)'],
  ['accountSubscribe', ['1'], '-32602 Invalid Request: Invalid pubkey provided @address'],
  ['accountSubscribe', ['0'], '-32602 Invalid Request: Invalid pubkey provided @address'],
  ['accountSubscribe', [5], '-32602 Invalid params: invalid type: integer `5`, expected a string. @address'],
  ['programSubscribe', [SIGNATURE], '-32602 Invalid Request: Invalid pubkey provided @program'],
  ['signatureSubscribe', [ADDRESS], '-32602 Invalid Request: Invalid signature provided @signature'],
  [
    'signatureSubscribe',
    [SIGNATURE, { enableReceivedNotification: 1 }],
    '-32602 Invalid params: invalid type: integer `1`, expected a boolean. @config.enableReceivedNotification',
  ],
  [
    'logsSubscribe',
    ['some'],
    '-32602 Invalid params: unknown variant `some`, expected one of `all`, `allWithVotes`, `mentions`. @filter',
  ],
  [
    'logsSubscribe',
    [{ some: [ADDRESS] }],
    '-32602 Invalid params: unknown variant `some`, expected one of `all`, `allWithVotes`, `mentions`. @filter',
  ],
  ['logsSubscribe', [5], '-32602 Invalid params: invalid type: integer `5`, expected string or map. @filter'],
  [
    'logsSubscribe',
    [{}],
    '-32602 Invalid params: invalid value: map, expected map with a single key. @filter',
  ],
  [
    'logsSubscribe',
    ['mentions'],
    '-32602 Invalid params: invalid type: unit variant, expected newtype variant. @filter',
  ],
  ['logsSubscribe', [{ all: [] }], '-32602 Invalid params: invalid type: sequence, expected unit. @filter'],
  [
    'logsSubscribe',
    [{ mentions: 5 }],
    '-32602 Invalid params: invalid type: integer `5`, expected a sequence. @filter.mentions',
  ],
  ['logsSubscribe', [{ mentions: [] }], '-32602 Invalid Request: Only 1 address supported @filter.mentions'],
  [
    'logsSubscribe',
    [{ mentions: [ADDRESS, ADDRESS] }],
    '-32602 Invalid Request: Only 1 address supported @filter.mentions',
  ],
  [
    'logsSubscribe',
    [{ mentions: ['1'] }],
    '-32602 Invalid Request: Invalid mentions provided @filter.mentions[0]',
  ],
  [
    'blockSubscribe',
    ['some'],
    '-32602 Invalid params: unknown variant `some`, expected `all` or `mentionsAccountOrProgram`. @filter',
  ],
  [
    'blockSubscribe',
    [{ mentionsAccountOrProgram: '1' }],
    '-32602 Invalid Request: Invalid mentions_account_or_program provided @filter.mentionsAccountOrProgram',
  ],
  [
    'blockSubscribe',
    ['all', { commitment: 'processed' }],
    '-32602 Method does not support commitment below `confirmed` @config.commitment',
  ],
  ['accountUnsubscribe', [], '-32602 `params` should have at least 1 argument(s)'],
  ['slotUnsubscribe', ['1'], '-32602 Invalid params: invalid type: string "1", expected u64. @subscription'],
];

const accepted: readonly (readonly [CallName, unknown])[] = [
  ['getVersion', undefined],
  ['slotSubscribe', undefined],
  ['accountSubscribe', [ADDRESS, { commitment: 'banana', encoding: null }]],
  ['signatureSubscribe', [SIGNATURE]],
  ['logsSubscribe', ['allWithVotes', null]],
  ['logsSubscribe', [{ mentions: [ADDRESS] }, {}]],
  ['blockSubscribe', [{ mentionsAccountOrProgram: ADDRESS }, { encoding: 'base64' }]],
  ['voteUnsubscribe', [2n ** 64n - 1n]],
  ['getVersion', null],
  ['getVersion', []],
  ['getBalance', [ADDRESS]],
  ['getBalance', [ADDRESS, null]],
  ['getBalance', [ADDRESS, { commitment: null, minContextSlot: null }]],
  ['getBalance', [ADDRESS, { commitment: 'banana', unknown: 1 }]],
  ['getBalance', [ADDRESS, { commitment: 5, minContextSlot: 2n ** 64n - 1n }]],
  ['getSignatureStatuses', [Array(256).fill(SIGNATURE)]],
  ['getBlocks', [5, 500_005]],
  ['getBlocks', [5, null, { commitment: 'confirmed' }]],
  ['getSlotLeaders', [1, 1]],
  ['getSlotLeaders', [1, 5000n]],
  ['simulateTransaction', ['AA', { sigVerify: true, replaceRecentBlockhash: false }]],
];

const title = ([method, params]: readonly [CallName, unknown, ...unknown[]]): string =>
  `${method} ${printJson(params).slice(0, 120)}`;

describe('checkParams', () => {
  it.each(refused.map((row) => [title(row), row] as const))(
    '%s is refused',
    (_, [method, params, expected]) => {
      expect(answer(method, params)).toBe(expected);
    },
  );

  it.each(accepted.map((row) => [title(row), row] as const))('%s is accepted', (_, [method, params]) => {
    expect(answer(method, params)).toBeUndefined();
  });

  it('is told by hand above for every error that params can answer', () => {
    const possible = Object.values(PARAMS_CHECKS).flatMap(({ explanations }) =>
      Object.values(explanations).flatMap(({ error }) =>
        typeof error === 'string' ? [error] : Object.values(error),
      ),
    );
    const arity = ['paramsNotArray', 'tooFewParams', 'tooManyParams', 'noParamsExpected', 'invalidValue'];
    const told = new Set(refused.map(([method, params]) => checkParams(method, params)?.error));
    expect([...told].sort()).toEqual([...new Set([...possible, ...arity])].sort());
  });

  it('names limit and value', () => {
    expect(checkParams('getSlotLeaders', [1, 5001])).toEqual({
      error: 'invalidLimit',
      context: { parameter: 'limit', limit: 5000, value: 5001 },
    });
    expect(checkParams('getBalance', ['1'.repeat(33)])).toEqual({
      error: 'wrongSizeBase58',
      context: { parameter: 'address', limit: 32, value: 33 },
    });
  });
});
