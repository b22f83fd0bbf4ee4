import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { logTransactions } from '../../src/localnet/transaction-log.ts';
import { StatusLine } from '../../src/localnet/status-line.ts';
import { NODE } from '../support/node-process.ts';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, memo, sendNow, signed } from './transactions.ts';

const CLEAR = '\r\u001B[K';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A line without the characters that remove the one before. */
const shown = (text: string): string => (text.startsWith(CLEAR) ? text.slice(CLEAR.length) : `kept: ${text}`);

const terminalOf = (columns: number) => {
  const written: string[] = [];
  return { written, terminal: { write: (text: string) => void written.push(text), columns: () => columns } };
};

test('tells slot, height, transactions per second without votes, and memory', async () => {
  const ledger = newLedger({ votes: true });
  const { written, terminal } = terminalOf(120);
  let nowMs = 0;
  const status = new StatusLine(ledger.ledger, terminal, () => nowMs);
  const wallet = await fundedWallet(ledger);
  await sendNow(ledger, signed(ledger, [wallet], memo('one')));
  ledger.tick(3);
  nowMs = 4_000;
  status.draw();
  expect(written.map(shown)).toEqual([
    expect.stringMatching(/^slot 35 {2}height 34 {2}0\.5 transactions\/s {2}\d+ MB$/),
  ]);
  nowMs = 5_000;
  status.draw();
  expect(written[1]).toContain('  0.0 transactions/s  ');
});

test('transactions of --log stand above it, and nothing is left at the end', async () => {
  const ledger = newLedger();
  const { written, terminal } = terminalOf(120);
  const status = new StatusLine(ledger.ledger, terminal);
  status.print('before it is shown\n');
  status.draw();
  logTransactions(ledger.ledger, status.print);
  await fundedWallet(ledger);
  status.stop();
  status.print('after\n');
  const [before, line = '', logged, end, after] = written;
  expect([before, after]).toEqual(['before it is shown\n', 'after\n']);
  expect(shown(logged ?? '')).toMatch(/^slot 32 [\s\S]*success\nslot 32 /);
  expect(logged?.endsWith(line.slice(CLEAR.length))).toBe(true);
  expect(end).toBe(CLEAR);
});

test('is cut to the width of the terminal', () => {
  const { written, terminal } = terminalOf(12);
  new StatusLine(newLedger().ledger, terminal).draw();
  expect(written).toEqual([`${CLEAR}slot 32  he`]);
});

/** What the command writes to a terminal (util-linux script) until it is stopped after a second. */
const onTerminal = (flags: string): Promise<string> =>
  new Promise((resolve) => {
    const command = `timeout 3 ${NODE} ${join(ROOT, 'src/main.ts')} localnet --rpc-port 0 ${flags}`;
    execFile('script', ['-qec', command, '/dev/null'], (_error, stdout) => resolve(stdout));
  });

test.runIf(process.platform === 'linux')(
  'the command shows it on a terminal, unless it is quiet',
  async () => {
    const written = await onTerminal('');
    expect(written).toContain(`${CLEAR}slot `);
    expect(written).toMatch(/slot \d+ {2}height \d+ /);
    expect(await onTerminal('--quiet')).toBe('');
  },
);
