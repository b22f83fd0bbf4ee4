import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { clientAddressOf, type GateParts, startGate } from '../../src/serve/start-gate.ts';

/** The log lines of the gate's start with these settings. */
function linesOf(env: Readonly<Record<string, string>>): readonly string[] {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const parts = { config: loadConfig({ env }), log, plans: {}, keyring: {}, usage: {} };
  const rest = { limitMetrics: {}, keyUses: {}, rateLimits: { of: () => ({}) } };
  startGate({ ...parts, ...rest } as unknown as GateParts);
  return lines;
}

const WIDE = { KEYSLOT_HTTP_HOST: '0.0.0.0', KEYSLOT_BEHIND_PROXY: '1' };

test('a server that other machines reach and that trusts no proxy on one of them warns at its start', () => {
  expect(linesOf(WIDE)).toEqual([expect.stringContaining('KEYSLOT_TRUSTED_PROXIES')]);
});

test.each([
  ['trusted proxies', { ...WIDE, KEYSLOT_TRUSTED_PROXIES: '10.0.0.0/8' }],
  ['a loopback address', { KEYSLOT_BEHIND_PROXY: '1' }],
  ['no proxy', {}],
])('with %s it does not', (_what, env) => {
  expect(linesOf(env)).toEqual([]);
});

test('an address that cannot be read is warned of once, by all parts of a server, with the name of the header', () => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const config = loadConfig({ env: { KEYSLOT_BEHIND_PROXY: '1' } });
  for (const forwarded of ['for=192.0.2.1', 'for=unknown', 'for=_hidden'])
    for (let part = 0; part < 2; part++)
      clientAddressOf(config, log)({ headers: { forwarded }, socket: { remoteAddress: '127.0.0.1' } });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ header: 'Forwarded', msg: expect.stringContaining('sent Forwarded without') }),
  ]);
});
