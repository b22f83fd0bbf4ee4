import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { METHODS } from '../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../generated/ledger/subscriptions.ts';
import { METHODS as CHEATS } from '../../generated/localnet/methods.ts';
import type { Embedded } from '../../codegen/model/embedded.ts';
import { COMMANDS } from '../../src/cli/find-command.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { methods, params, subscriptions, flags, cheats } = parse(
  read('spec/ledger/embedded.yaml'),
) as Embedded;
const page = read('generated/docs/ledger/embedded-ledger.md');

/** The flags of the test validator with whether the command has to have them. */
const expected = Object.entries(flags).map(
  ([flag, verdict]) => [flag, typeof verdict === 'string' || !('cannot' in verdict)] as const,
);
const options = COMMANDS.find(({ name }) => name === 'localnet')?.options ?? [];

test.each(expected)('%s: the command has it: %s', (flag, isThere) => {
  expect(options.some(({ name }) => `--${name}` === flag)).toBe(isThere);
});

test.each([
  ['--rpc-pubsub-enable-vote-subscription'],
  ['--rpc-pubsub-enable-block-subscription'],
  ['--gossip-port', '8001'],
  ['--gossip-host', '127.0.0.1'],
  ['--dynamic-port-range', '8002-8020'],
  ['--faucet-port', '9900'],
  ['--account-index', 'program-id', '--account-index', 'spl-token-mint'],
])('%s of a start script is accepted', (...args) => {
  expect(parseCommandLine(['localnet', ...args])).toMatchObject({ kind: 'run' });
});

test('a flag that it cannot have is refused with the reason', () => {
  expect(parseCommandLine(['localnet', '--ticks-per-slot', '8'])).toEqual({
    kind: 'mistake',
    reason:
      'localnet: --ticks-per-slot is not supported: Slots have no ticks. --slot-ms sets their length. (see: keyslot localnet --help)',
  });
});

test('what differs exists', () => {
  for (const name of Object.keys(methods)) expect(Object.keys(METHODS)).toContain(name);
  for (const name of Object.keys(subscriptions)) expect(Object.keys(SUBSCRIPTIONS)).toContain(name);
  for (const name of Object.keys(params)) {
    const [method = '', ...part] = name.split('.');
    const rows = page.split(`| [${method}](`)[1]?.split('\n| [')[0] ?? '';
    expect(rows).toContain(`\`${part.join('.')}\` | differs |`);
  }
});

test('every cheat code has its row, and no other', () => {
  expect(Object.keys(cheats).toSorted()).toEqual(Object.keys(CHEATS).toSorted());
  for (const name of Object.keys(cheats)) expect(page).toContain(`| \`${name}\` | `);
});

test('the page has a row for every method, subscription and flag', () => {
  for (const name of [...Object.keys(METHODS), ...Object.keys(SUBSCRIPTIONS)])
    expect(page.split(`| [${name}](${name}.md) |`)).toHaveLength(2);
  for (const [flag] of expected) expect(page).toContain(`| \`${flag}\` |`);
});
