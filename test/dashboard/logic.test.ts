import { describe, expect, it } from 'vitest';
import type { SessionCredentials } from '../../generated/account/types.ts';
import { RestCallError } from '../../runtime/rest-call.ts';
import { keepCredentials, withCredentials } from '../../src/dashboard/calls/keep-credentials.ts';
import { openRoutes } from '../../src/dashboard/pages/open-routes.ts';
import { newer, older } from '../../src/dashboard/parts/cursor-stack.ts';
import { describeError } from '../../src/dashboard/parts/describe-error.ts';
import { formatCount, formatMicroUsd } from '../../src/dashboard/parts/format-number.ts';
import { splitLines } from '../../src/dashboard/parts/split-lines.ts';
import { readLinkToken } from '../../src/dashboard/session/read-link-token.ts';

const MINUTE = 60_000;

describe('the credentials of the page', () => {
  const start = () => {
    const clock = { nowMs: 0 };
    let made = 0;
    const create = async (): Promise<SessionCredentials> => {
      made += 1;
      return { api_key: `key-${made}`, access_token: `token-${made}`, expires_at: '' };
    };
    return { clock, made: () => made, keeper: keepCredentials({ create, nowMs: () => clock.nowMs }) };
  };

  it('are made once for calls at the same time, and again after nine minutes', async () => {
    const { clock, made, keeper } = start();
    await Promise.all([keeper.read(), keeper.read()]);
    clock.nowMs = 9 * MINUTE - 1;
    expect((await keeper.read()).api_key).toBe('key-1');
    clock.nowMs = 9 * MINUTE;
    expect((await keeper.read()).api_key).toBe('key-2');
    expect(made()).toBe(2);
  });

  it('are made again once when they are refused, and a second refusal is the answer', async () => {
    const { keeper, made } = start();
    const sent: string[] = [];
    const send = withCredentials(keeper, async ({ api_key }) => {
      sent.push(api_key);
      return new Response(null, { status: 401 });
    });
    expect((await send()).status).toBe(401);
    expect([sent, made()]).toEqual([['key-1', 'key-2'], 2]);
  });

  it('are not forgotten for an older pair that was refused', async () => {
    const { keeper, made } = start();
    const old = await keeper.read();
    keeper.forget();
    await keeper.read();
    keeper.refuse(old);
    await keeper.read();
    expect(made()).toBe(2);
  });

  it('that could not be made are asked for again', async () => {
    let attempts = 0;
    const create = async (): Promise<SessionCredentials> => {
      attempts += 1;
      if (attempts === 1) throw new Error('no answer');
      return { api_key: 'k', access_token: 't', expires_at: '' };
    };
    const keeper = keepCredentials({ create, nowMs: () => 0 });
    await expect(keeper.read()).rejects.toThrow('no answer');
    expect((await keeper.read()).api_key).toBe('k');
  });
});

describe('the pages of a member', () => {
  const routes = [
    { path: '/a', title: 'A', scopes: [] },
    { path: '/b', title: 'B', scopes: ['x:read', 'y:read'] },
  ];

  it.each([
    [[], ['/a']],
    [['x:read'], ['/a']],
    [
      ['x:read', 'y:read'],
      ['/a', '/b'],
    ],
  ])('with the scopes %j are %j', (scopes, expected) => {
    expect(openRoutes(routes, scopes).map(({ path }) => path)).toEqual(expected);
  });
});

describe('an error in words', () => {
  it('has the detail of the problem, each field, the request, and how long to wait', () => {
    const problem = {
      type: 'urn:keyslot:error:account_rate_limited',
      title: 'Rate limited',
      status: 429,
      detail: 'The account has reached its limit.',
      code: 'account_rate_limited',
      request_id: 'req_1',
      errors: [{ pointer: '/name', detail: 'too long' }],
    };
    const failure = {
      kind: 'problem',
      status: 429,
      code: problem.code,
      problem,
      retryAfterSeconds: 3,
    } as const;
    expect(describeError(new RestCallError('createKey', failure))).toEqual({
      text: problem.detail,
      remedy: 'Try again in 3 s.',
      requestId: 'req_1',
      fields: { '/name': 'too long' },
    });
  });

  it('says what to do without a connection', () => {
    expect(describeError(new RestCallError('listKeys', { kind: 'network' }))).toMatchObject({
      remedy: 'Check your connection, then try again.',
    });
  });
});

describe('numbers', () => {
  it('keep every digit of 64 bits', () => {
    expect(formatCount(18_446_744_073_709_551_615n)).toBe('18,446,744,073,709,551,615');
  });

  it.each([
    [0, '$0.00'],
    [1, '$0.000001'],
    [1_500_000, '$1.50'],
    [-2_000_001, '-$2.000001'],
    [9_007_199_254_740_993_000_000n, '$9,007,199,254,740,993.00'],
  ])('%s micro-USD are %s', (micro, text) => {
    expect(formatMicroUsd(micro)).toBe(text);
  });
});

describe('small readers', () => {
  it('entries stand on lines or between commas', () => {
    expect(splitLines(' a\n\nb, c ,\r\n')).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['#token=ks_set_1', 'ks_set_1'],
    ['#token=', undefined],
    ['', undefined],
    ['#other=1', undefined],
  ])('the token of the fragment "%s" is %s', (fragment, token) => {
    expect(readLinkToken(fragment)).toBe(token);
  });

  it('the cursors go forward and back to the first page, which has none', () => {
    const second = older([], 'b');
    expect([second, older(second, 'c'), newer(second), newer([])]).toEqual([['b'], ['b', 'c'], [], []]);
  });
});
