import { execFile, execFileSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathHere } from '../../codegen/fixture.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createAuthenticator } from './authenticator.ts';

const run = promisify(execFile);
const ROOT = pathHere('../..');
const DEADLINE_MS = 60_000;
const TOOLS_MISSING = 'no curl or no jq; provide them with `apt-get install curl jq`';

const guide = await readFile(join(ROOT, 'docs/wallets.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );
const hasTools = ['curl', 'jq'].every((tool) => {
  try {
    return execFileSync(tool, ['--version'], { stdio: 'ignore' }) === null;
  } catch {
    return false;
  }
});

const directory = useNewDirectory();
let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
}, DEADLINE_MS);
afterAll(() => server?.stop());

test('the commands of docs/wallets.md work as they stand', { timeout: DEADLINE_MS }, async (context) => {
  if (!hasTools) context.skip(TOOLS_MISSING);
  await symlink(server.dataDir, join(directory(), '.keyslot'));
  const { totp_secret: secret } = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly totp_secret: string;
  };
  const code = await createAuthenticator(secret).code();
  const script = ['set -e', ...blocks('sh')]
    .join('\n')
    .replace('curl -sS', 'curl -sS --fail-with-body')
    .replace(/^CODE=\d+/m, `CODE=${code}`);
  const { stdout } = await run('sh', ['-c', script], { cwd: directory() });
  const answers = stdout.split(/(?<=\})\s*(?=\{)/).map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
    ...['address', 'address', 'address', 'wallet_id', 'wallet_id', 'master', 'master'],
    ...['address', 'address', 'wallet_id'],
  ]);
  const [first, again] = answers.slice(-3);
  expect(again).toEqual(first);
  for (const [file, lines] of [
    ['wallets.jsonl', 1_000],
    ['wallets.csv', 1_001],
  ] as const)
    expect((await readFile(join(directory(), file), 'utf8')).trim().split('\n')).toHaveLength(lines);
});

/** Runs the program of the guide that imports this package, beside the packages of this project. @returns its lines. */
async function runProgram(imported: string): Promise<readonly string[]> {
  await symlink(server.dataDir, join(directory(), '.keyslot'));
  await symlink(join(ROOT, 'node_modules'), join(directory(), 'node_modules'));
  const client = `file://${join(ROOT, 'generated/package.ts')}`;
  const [program = '', ...others] = blocks('js').filter((text) => text.includes(`from '${imported}'`));
  expect(others).toEqual([]);
  await writeFile(
    join(directory(), 'program.mjs'),
    program.replace("'@keyslot/client'", JSON.stringify(client)),
  );
  const node = join(ROOT, 'node_modules/.bin/node');
  const { stdout } = await run(node, ['program.mjs'], { cwd: directory() });
  return stdout.trim().split('\n');
}

test('the program of docs/wallets.md with the generated client works as it stands', {
  timeout: DEADLINE_MS,
}, async () => {
  const [signature, ...rest] = await runProgram('@keyslot/client');
  expect(signature).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
  expect(rest).toHaveLength(4);
  expect(rest.at(-1)).toMatch(/^req_\w+$/);
});

test('the program of docs/wallets.md that signs and sends a transaction works as it stands', {
  timeout: DEADLINE_MS,
}, async () => {
  expect(await runProgram('@solana/kit')).toEqual(['1 6000n']);
});

test('docs/wallets.md has no program that is not run', () => {
  expect(blocks('js')).toHaveLength(2);
});
