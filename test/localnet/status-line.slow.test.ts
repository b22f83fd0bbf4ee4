import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { logTransactions } from '../../src/localnet/serve-ledger.ts';
import { StatusLine } from '../../src/localnet/status-line.ts';
import { freePortPair } from '../support/free-port-pair.ts';
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

/** Runs the command in a terminal (util-linux script) until slots have passed and the text is there, then ends it with Ctrl-C. @returns its output. */
async function onTerminal(flags: string, isSeen: (written: string) => boolean): Promise<string> {
  const port = await freePortPair();
  const command = `stty -echo; exec ${NODE} ${join(ROOT, 'src/main.ts')} localnet --rpc-port ${port} ${flags}`;
  const script = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(script, 'close');
  let written = '';
  script.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  try {
    const first = await eventually('it serves', () => slotAt(port).catch(() => undefined));
    await eventually('slots pass', async () => (await slotAt(port)) > first || undefined);
    await eventually('it is seen', () => isSeen(written) || undefined);
  } finally {
    script.stdin.write('\u0003');
    await ended;
  }
  return written;
}

async function slotAt(port: number): Promise<number> {
  const params = [{ commitment: 'processed' }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
  return ((await answer.json()) as { readonly result: number }).result;
}

test.runIf(process.platform === 'linux')(
  'the command shows it on a terminal, unless it is quiet',
  async () => {
    const line = /slot \d+ {2}height \d+ /;
    const written = await onTerminal('', (text) => line.test(text));
    expect(written).toContain(`${CLEAR}slot `);
    expect(written).toMatch(line);
    expect(await onTerminal('--quiet', () => true)).toBe('');
  },
);
