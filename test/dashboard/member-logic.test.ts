import { describe, expect, it } from 'vitest';
import { networkAddresses } from '../../src/dashboard/pages/settings/network-addresses.ts';
import { describeWindow } from '../../src/dashboard/pages/settings/describe-window.ts';
import { isLimit } from '../../src/dashboard/pages/settings/limit-texts.ts';
import { isRole, ROLE_NAMES } from '../../src/dashboard/pages/members/role-texts.ts';
import {
  describeDevice,
  backupCodeFile,
  groupSecret,
} from '../../src/dashboard/pages/security/describe-device.ts';
import { formatUsd } from '../../src/dashboard/parts/format-number.ts';

describe('a device in words', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['x'.repeat(41), `${'x'.repeat(40)}…`],
    ['', 'Unknown device'],
    [undefined, 'Unknown device'],
  ])('%s is %s', (userAgent, words) => {
    expect(describeDevice(userAgent)).toBe(words);
  });
});

describe('roles and limits', () => {
  it('are listed from the one that may do everything', () => {
    expect(ROLE_NAMES).toEqual(['owner', 'developer', 'billing', 'viewer']);
  });

  it.each(['', 'toString', 'Owner'])('"%s" is neither a role nor a limit', (name) => {
    expect([isRole(name), isLimit(name)]).toEqual([false, false]);
  });

  it.each([
    [{ requests: 600, window_seconds: 60 }, '600 requests a minute'],
    [{ requests: 1_000_000, window_seconds: 1 }, '1,000,000 requests a second'],
    [{ requests: 5, window_seconds: 90 }, '5 requests in 90 s'],
  ])('%j is %s', (window, words) => {
    expect(describeWindow(window)).toBe(words);
  });
});

describe('what is shown to be kept', () => {
  it('a secret is in groups of four, and the last may be shorter', () => {
    expect(groupSecret('JBSWY3DPEHPK3PXPAB')).toBe('JBSW Y3DP EHPK 3PXP AB');
    expect(groupSecret('JBSWY3DP')).toBe('JBSW Y3DP');
  });

  it('the file of backup codes names the login and the server, and has a code on each line', () => {
    expect(backupCodeFile('ann@example.com', 'keyslot.example', ['A-1', 'B-2'])).toBe(
      'Backup codes of ann@example.com for Keyslot at keyslot.example\nEach works once.\n\nA-1\nB-2\n',
    );
  });
});

it('the WebSocket of a network is at the path of its JSON-RPC, with TLS where that has it', () => {
  expect(networkAddresses('https://keyslot.example/below', '/solana-mainnet')).toEqual([
    { kind: 'JSON-RPC', address: 'https://keyslot.example/below/solana-mainnet' },
    { kind: 'WebSocket', address: 'wss://keyslot.example/below/solana-mainnet' },
  ]);
});

it.each([
  ['25', '$25.00'],
  ['-0.000001', '-$0.000001'],
  ['123456789012345678.123456', '$123,456,789,012,345,678.123456'],
])('%s USD are %s, exactly', (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});
