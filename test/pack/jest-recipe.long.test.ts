import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installClient, lendPackages, NODE } from '../support/install-client.ts';
import { writeRecipes } from './recipe-files.ts';

const run = promisify(execFile);
const JEST = 'jest@30.5.2';
/** Where other suites run at the same time the first ledger takes longer than the five seconds of Jest. */
const PATIENT = '--testTimeout=120000';
/** As the document says: web3.js keeps connecting to a ledger that is closed. */
const ENDING = '--forceExit';

let folder = '';
/** Jest brings 290 packages, which are installed here alone. */
beforeAll(async () => {
  folder = await installClient();
  const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', JEST];
  await run('npm', npm, { cwd: folder });
  await lendPackages(folder, ['litesvm', '@solana/web3.js']);
  await writeRecipes(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a ledger for each file, with Jest', async () => {
  const jest = [
    join(folder, 'node_modules/jest/bin/jest.js'),
    '--json',
    '--testMatch=**/*.test.cjs',
    PATIENT,
    ENDING,
  ];
  const { stdout } = await run(NODE, jest, { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    testResults: [{ assertionResults: [{ title: 'an airdrop arrives', status: 'passed' }] }],
  });
});
