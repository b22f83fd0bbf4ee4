import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployPath } from './deploy-files.ts';

/** That of Debian has the kustomize of 2018: what it renders, every later one renders. */
const hasKubectl =
  spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore', timeout: 60_000 }).status === 0;
const WITHOUT = 'apt-get install kubernetes-client';

type Rendered = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

function render(folder: string): readonly Rendered[] {
  const home = mkdtempSync(join(tmpdir(), 'keyslot-kubectl-'));
  try {
    const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', deployPath(folder)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home },
    });
    // A warning, too: what is deprecated is gone some day.
    expect([status, stderr]).toEqual([0, '']);
    return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

test.skipIf(!hasKubectl)(`kubectl renders the manifests, in one namespace (${WITHOUT})`, () => {
  const rendered = render('kubernetes');
  const config = rendered.find(({ kind }) => kind === 'ConfigMap')?.metadata.name ?? '';
  expect(config).toMatch(/^keyslot-[a-z0-9]+$/);
  expect(
    rendered.map(({ kind, metadata: { name, namespace } }) => [kind, name, namespace]).toSorted(),
  ).toEqual([
    ['ConfigMap', config, 'keyslot'],
    ['NetworkPolicy', 'keyslot', 'keyslot'],
    ['PodDisruptionBudget', 'keyslot', 'keyslot'],
    ['Service', 'keyslot', 'keyslot'],
    ['Service', 'keyslot-gateways', 'keyslot'],
    ['StatefulSet', 'keyslot', 'keyslot'],
  ]);
  const gateway = JSON.stringify(rendered.find(({ kind }) => kind === 'StatefulSet'));
  expect(gateway).toContain(`"configMap":{"name":"${config}"}`);
  expect(gateway).toMatch(/"image":"registry\.example\.com\/keyslot:\d+\.\d+\.\d+"/);
});

test.skipIf(!hasKubectl)(`kubectl renders the monitor of the services (${WITHOUT})`, () => {
  expect(
    render('kubernetes/service-monitor').map(({ kind, metadata }) => [kind, metadata.namespace]),
  ).toEqual([['ServiceMonitor', 'keyslot']]);
});
