import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './source-files.ts';

const run = promisify(execFile);
const root = fileURLToPath(ROOT);

/** Why the commands of a document cannot run on this machine. */
export const TOOLS_MISSING = 'no curl or no jq; provide them with `apt-get install curl jq`';

/** The entries of @keyslot/client, which is not installed here. */
const CLIENT_ENTRIES: Readonly<Record<string, string>> = {
  '@keyslot/client': 'generated/package.ts',
  '@keyslot/client/account': 'generated/account/package.ts',
  '@keyslot/client/stream': 'generated/stream/package.ts',
};

/** The fenced blocks of a document of the project in one language, in order. */
export function blocksOf(document: string, language: string): readonly string[] {
  const text = readFileSync(join(root, document), 'utf8');
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map(([, block = '']) => block);
}

/** True if curl and jq are installed. */
export function hasTools(): boolean {
  return ['curl', 'jq'].every((tool) => {
    try {
      return execFileSync(tool, ['--version'], { stdio: 'ignore' }) === null;
    } catch {
      return false;
    }
  });
}

/** Where a reader stands: a directory with the data directory of a server as `.keyslot`. */
export type Reader = { readonly directory: string; readonly dataDir: string };

/** Runs shell commands as a reader types them; one that a server refuses fails. @returns what they print. */
export async function runShell({ directory, dataDir }: Reader, commands: string): Promise<string> {
  await symlink(dataDir, join(directory, '.keyslot'));
  const script = `set -e\n${commands.replaceAll('curl -sS', 'curl -sS --fail-with-body')}`;
  const { stdout } = await run('sh', ['-c', script], { cwd: directory });
  return stdout;
}

/** Runs a JavaScript program as a reader pastes it, next to the packages of this project. @returns the lines that it prints. */
export async function runProgram(
  { directory, dataDir }: Reader,
  program: string,
): Promise<readonly string[]> {
  await symlink(dataDir, join(directory, '.keyslot'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  const text = program.replace(/'(@keyslot\/client[a-z/]*)'/g, (quoted, name: string) => {
    const entry = CLIENT_ENTRIES[name];
    return entry === undefined ? quoted : JSON.stringify(`file://${join(root, entry)}`);
  });
  await writeFile(join(directory, 'program.mjs'), text);
  const { stdout } = await run(join(root, 'node_modules/.bin/node'), ['program.mjs'], { cwd: directory });
  return stdout.trim().split('\n');
}
