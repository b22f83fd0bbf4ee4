import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { METHODS } from '../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../generated/ledger/subscriptions.ts';
import { readServedDocuments } from './served-documents.ts';

const PROGRAM = fileURLToPath(new URL('parse-openrpc.ts', import.meta.url));
/** It takes a tenth of each on a quiet machine. */
const MEMORY_MIB = 512;
const TIME_MS = 50_000;

test('the official OpenRPC parser ends with its defaults, in little time and memory', async () => {
  const { openrpc } = await readServedDocuments();
  const child = spawn(process.execPath, [`--max-old-space-size=${MEMORY_MIB}`, PROGRAM], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIME_MS,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child.stdin.on('error', () => undefined).end(openrpc);
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  const [output, complaint, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect([end, complaint]).toEqual([0, '']);
  const methods = Object.keys(METHODS).length + 2 * Object.keys(SUBSCRIPTIONS).length;
  expect(JSON.parse(output)).toEqual({ methods, references: false });
});
