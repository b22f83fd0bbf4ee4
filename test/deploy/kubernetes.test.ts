import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import packageManifest from '../../package.json' with { type: 'json' };
import { loadConfig } from '../../src/core/config/load-config.ts';
import { READINESS_PARTS } from '../../src/server/http/status-routes.ts';
import { deployPath, readDeployFile, readDeployYaml } from './deploy-files.ts';

type Labels = Readonly<Record<string, string>>;
type Port = {
  readonly name: string;
  readonly port?: number;
  readonly containerPort?: number;
  readonly targetPort?: string;
};
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type Container = {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports: readonly Port[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: unknown;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly selector: { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly maxUnavailable: number;
    readonly ports: readonly Port[];
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly endpoints: readonly { readonly port: string }[];
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: unknown;
        readonly containers: readonly [Container];
        readonly volumes: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName: string; readonly defaultMode: number };
        }[];
      };
    };
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
  };
};

const { resources, images, configMapGenerator } = readDeployYaml<{
  readonly resources: readonly string[];
  readonly images: readonly { readonly newTag: string }[];
  readonly configMapGenerator: readonly { readonly files: readonly string[] }[];
}>('kubernetes/kustomization.yaml');
const FILES = [...resources, 'service-monitor/service-monitor.yaml'];
const manifests = FILES.flatMap((name) =>
  parseAllDocuments(readDeployFile(join('kubernetes', name))).map((document) => document.toJS() as Manifest),
);

function manifestOf(kind: string, name = 'keyslot'): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

const gateway = manifestOf('StatefulSet').spec;
const pod = gateway.template.spec;
const [container] = pod.containers;
const config = loadConfig({
  file: deployPath('kubernetes/keyslot.yaml'),
  env: Object.fromEntries(
    container.env.map(({ name, value }) => [
      name,
      value ?? (name === 'KEYSLOT_REDIS_URL' ? 'redis://redis' : 'postgres://database/keyslot'),
    ]),
  ),
});

test('every file of the folder is in a kustomization', () => {
  const [generated] = configMapGenerator;
  const known = [
    ...resources,
    ...(generated?.files ?? []),
    'kustomization.yaml',
    'README.md',
    'service-monitor',
  ];
  expect(readdirSync(deployPath('kubernetes')).toSorted()).toEqual(known.toSorted());
});

test('the image has the version of this package', () => {
  expect(images.map(({ newTag }) => newTag)).toEqual([packageManifest.version]);
});

test('variables are settings; those with secrets come from a secret', () => {
  const settings = new Map(
    CONFIG_SETTINGS.flatMap((setting) =>
      setting.env === undefined ? [] : [[setting.env, setting] as const],
    ),
  );
  for (const { name, value, valueFrom } of container.env) {
    expect(settings.has(name), name).toBe(true);
    expect([name, value === undefined]).toEqual([name, settings.get(name)?.secret]);
    if (value === undefined) expect(valueFrom?.secretKeyRef.name).toBe('keyslot-services');
  }
});

test('a gateway has the ports of its settings, and each port that a service or a policy names', () => {
  const { http, grpc, metrics } = config;
  expect(container.ports.map(({ name, containerPort }) => [name, containerPort])).toEqual([
    ['http', http.port],
    ['ws', http.port + 1],
    ['grpc', grpc.port],
    ['metrics', metrics.port],
  ]);
  const names = container.ports.map(({ name }) => name);
  const services = [manifestOf('Service'), manifestOf('Service', 'keyslot-gateways')];
  const targets = services.flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort));
  expect(targets.toSorted()).toEqual(names.toSorted());
  const allowed = manifestOf('NetworkPolicy').spec.ingress.flatMap(({ ports }) =>
    ports.map(({ port }) => port),
  );
  expect(allowed.toSorted()).toEqual(names.toSorted());
  expect(manifestOf('ServiceMonitor').spec.endpoints.map(({ port }) => port)).toEqual(['metrics']);
});

test('all selectors choose the gateways', () => {
  const { labels } = gateway.template.metadata;
  expect(gateway.selector.matchLabels).toEqual(labels);
  expect(manifestOf('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
  expect(manifestOf('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
  expect(manifestOf('Service').spec.selector).toEqual(labels);
  const inside = manifestOf('Service', gateway.serviceName);
  expect(inside.spec.selector).toEqual(labels);
  expect(inside.metadata.labels).toEqual(manifestOf('ServiceMonitor').spec.selector.matchLabels);
  // As alerts.yaml and the dashboard call the job.
  expect(labels['app.kubernetes.io/name']).toBe('keyslot');
});

test('a gateway that is not ready is left out, unless all share what is lost; one that hangs is started again', () => {
  const { pathname, searchParams } = new URL(container.readinessProbe.httpGet.path, 'http://gateway');
  const excluded = searchParams.getAll('exclude');
  expect([pathname, excluded]).toEqual(['/readyz', ['store', 'networks']]);
  expect(excluded.filter((part) => !(READINESS_PARTS as readonly string[]).includes(part))).toEqual([]);
  for (const probe of [container.startupProbe, container.livenessProbe])
    expect(probe.httpGet).toEqual({ path: '/healthz', port: 'http' });
});

test('one gateway at a time is taken away, and has as long to stop as that takes', () => {
  expect(gateway.replicas).toBeGreaterThan(1);
  expect(manifestOf('PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  const { shutdown_grace_ms: grace, shutdown_deadline_ms: deadline } = config;
  expect(grace).toBeGreaterThan(0);
  expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(grace + deadline);
});

test('a gateway is the user of the image, without privileges, and writes to its volume and /tmp alone', () => {
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 10_001,
    fsGroup: 10_001,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
  expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/var/lib/keyslot', '/tmp']);
  const volumes = [...pod.volumes, ...gateway.volumeClaimTemplates.map(({ metadata }) => metadata)].map(
    ({ name }) => name,
  );
  expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
  // The kubelet owns the root of a volume, which a gateway could not close to others.
  expect(config.data_dir).toMatch(/^\/var\/lib\/keyslot\/\w+$/);
});

test('keys come from a secret, which only the group of the gateway reads', () => {
  const { secret } = pod.volumes.find(({ name }) => name === 'keys') ?? {};
  expect(secret).toEqual({ secretName: 'keyslot-keys', defaultMode: 0o440 });
  const at = container.volumeMounts.find(({ name }) => name === 'keys')?.mountPath ?? '';
  expect([config.hsm.soft.master_key_file, config.installation_key_file]).toEqual([
    join(at, 'master.key'),
    join(at, 'installation.key'),
  ]);
});

test('the guide makes every secret that is named, and says what was tried', () => {
  const guide = readDeployFile('kubernetes/README.md');
  for (const name of ['keyslot-keys', 'keyslot-services'])
    expect(guide).toContain(`create secret generic ${name}`);
  for (const { valueFrom } of container.env)
    if (valueFrom !== undefined) expect(guide).toContain(`--from-file=${valueFrom.secretKeyRef.key}=`);
  expect(guide).toContain('rendered');
  expect(guide).toContain('never applied');
});
