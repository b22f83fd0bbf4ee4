import { expect, test } from 'vitest';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { parseLocalnetArguments, readLocalnetOptions } from '../../src/localnet/localnet-options.ts';

const SETTINGS = [
  ['slot-ms', 'slotMs', CONFIG_INTEGERS['localnet.slot_ms']],
  ['finality-slots', 'finalitySlots', { default: undefined, ...CONFIG_INTEGERS['localnet.finality_slots'] }],
  ['lamports-per-byte', 'lamportsPerByte', CONFIG_INTEGERS['localnet.lamports_per_byte']],
  ['slots-per-epoch', 'slotsPerEpoch', CONFIG_INTEGERS['localnet.slots_per_epoch']],
  ['history-slots', 'historySlots', CONFIG_INTEGERS['localnet.history_slots']],
  ['history-transactions', 'historyTransactions', CONFIG_INTEGERS['localnet.history_transactions']],
  ['rpc-port', 'rpcPort', { ...CONFIG_INTEGERS['http.port'], default: 8899 }],
] as const;

test.each(SETTINGS)('--%s has the default and the bounds of the specification', (option, member, bounds) => {
  const read = (value: number | string): number | undefined =>
    parseLocalnetArguments([`--${option}=${value}`])[member];
  expect(parseLocalnetArguments([])[member]).toBe(bounds.default);
  for (const good of [bounds.minimum, bounds.maximum]) expect(read(good)).toBe(good);
  const range = `from ${bounds.minimum} to ${bounds.maximum}`;
  for (const bad of [bounds.minimum - 1, bounds.maximum + 1, 'x', '', '1e3', '10.5'])
    expect(() => read(bad)).toThrow(range);
});

test('the consensus is alpenglow, and tower where something is asked for that there is under tower alone', () => {
  const consensus = (...args: readonly string[]) => parseLocalnetArguments(args).consensus;
  expect(consensus()).toBeUndefined();
  expect(consensus('--no-votes')).toBeUndefined();
  expect(consensus('--consensus', 'alpenglow', '--no-votes')).toBe('alpenglow');
  expect(consensus('--consensus', 'tower')).toBe('tower');
  expect(consensus('--finality-slots', '0')).toBe('tower');
  expect(consensus('--votes')).toBe('tower');
  expect(readLocalnetOptions({ alpenglow: true }).consensus).toBe('alpenglow');
  const belongs =
    'needs --consensus tower: under alpenglow a confirmed block is final, and blocks hold no votes';
  expect(() => consensus('--consensus', 'alpenglow', '--votes')).toThrow(`--votes ${belongs}`);
  expect(() => readLocalnetOptions({ alpenglow: true, 'finality-slots': '31' })).toThrow(
    `--finality-slots ${belongs}`,
  );
  expect(() => readLocalnetOptions({ alpenglow: true, consensus: 'tower' })).toThrow(
    '--alpenglow and --consensus tower cannot be used together',
  );
  expect(() => consensus('--consensus', 'paxos')).toThrow('--consensus paxos is neither alpenglow nor tower');
});

test('the validator votes unless it is told not to', () => {
  const votes = (...values: readonly string[]): boolean =>
    readLocalnetOptions(Object.fromEntries(values.map((name) => [name, true]))).votes;
  expect([votes(), votes('votes'), votes('no-votes')]).toEqual([true, true, false]);
  expect(parseLocalnetArguments(['--no-votes']).votes).toBe(false);
  expect(() => votes('votes', 'no-votes')).toThrow('--votes and --no-votes cannot be used together');
});

test.each(['limit-ledger-size', 'limit-blockstore-size'])(
  '--%s is the number of transactions that are kept, within the range of that',
  (name) => {
    const read = (shreds: string): number => readLocalnetOptions({ [name]: shreds }).historyTransactions;
    const { minimum, maximum } = CONFIG_INTEGERS['localnet.history_transactions'];
    expect(['0', '5000', '800000', '50000000'].map(read)).toEqual([minimum, 5_000, 800_000, maximum]);
    expect(() => read('-1')).toThrow(`--${name} -1 is not a whole number from 0`);
    expect(() => readLocalnetOptions({ [name]: '1', 'history-transactions': '1000' })).toThrow(
      `--history-transactions and --${name} cannot be used together`,
    );
  },
);

test('--max-compute-units is --compute-unit-limit by its older name', () => {
  const read = (values: Readonly<Record<string, string>>) => readLocalnetOptions(values).computeUnitLimit;
  expect(read({ 'max-compute-units': '300000' })).toBe(300_000n);
  expect(read({ 'compute-unit-limit': '300000' })).toBe(300_000n);
  expect(() => read({ 'max-compute-units': '0' })).toThrow('--max-compute-units 0 is not a whole number');
  expect(() => read({ 'max-compute-units': '1', 'compute-unit-limit': '1' })).toThrow(
    '--compute-unit-limit and --max-compute-units cannot be used together',
  );
});
