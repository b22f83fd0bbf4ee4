import { expect, test } from 'vitest';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { parseLocalnetArguments } from '../../src/localnet/localnet-options.ts';

const SETTINGS = [
  ['slot-ms', 'slotMs', CONFIG_INTEGERS['localnet.slot_ms']],
  ['finality-slots', 'finalitySlots', CONFIG_INTEGERS['localnet.finality_slots']],
  ['lamports-per-byte', 'lamportsPerByte', CONFIG_INTEGERS['localnet.lamports_per_byte']],
  ['history-slots', 'historySlots', CONFIG_INTEGERS['localnet.history_slots']],
  ['history-transactions', 'historyTransactions', CONFIG_INTEGERS['localnet.history_transactions']],
  ['rpc-port', 'rpcPort', { ...CONFIG_INTEGERS['http.port'], default: 8899 }],
] as const;

test.each(SETTINGS)('--%s has the default and the bounds of the specification', (option, member, bounds) => {
  const read = (value: number | string): number => parseLocalnetArguments([`--${option}=${value}`])[member];
  expect(parseLocalnetArguments([])[member]).toBe(bounds.default);
  for (const good of [bounds.minimum, bounds.maximum]) expect(read(good)).toBe(good);
  const range = `from ${bounds.minimum} to ${bounds.maximum}`;
  for (const bad of [bounds.minimum - 1, bounds.maximum + 1, 'x', '', '1e3', '10.5'])
    expect(() => read(bad)).toThrow(range);
});
