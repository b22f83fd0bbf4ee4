import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG_SETTINGS } from '../../generated/config.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import packageManifest from '../../package.json' with { type: 'json' };
import { readOperateBlock } from '../support/operate-blocks.ts';
import { ROOT } from '../support/source-files.ts';
import { deployPath, readDeployFile, readDeployYaml } from './deploy-files.ts';

type Service = Readonly<Record<string, unknown>> & {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: {
    readonly inside: {
      readonly ipam: { readonly config: readonly [{ readonly subnet: string; readonly ip_range: string }] };
    };
  };
};

const VARIABLES = new Set(CONFIG_SETTINGS.flatMap(({ env }) => env ?? []));
const compose = readDeployYaml<Compose>('compose.yaml');
const gateways = Object.entries(compose.services).filter(([name]) => name.startsWith('gateway-'));

describe('the image', () => {
  const lines = readDeployFile('Containerfile').replaceAll('\\\n', ' ').split('\n');
  const of = (word: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('is made in stages, of images with a version that arguments replace', () => {
    const named = Object.fromEntries(of('ARG').map((line) => line.split('='))) as Record<string, string>;
    const bases = of('FROM').map((line) => /^\$\{(\w+)\}/.exec(line)?.[1] ?? '');
    expect(bases).toEqual(['BUILD_IMAGE', 'BUILD_IMAGE', 'BASE_IMAGE']);
    const [major] = packageManifest.dependencies.node.split('.');
    for (const base of bases) expect(named[base]).toMatch(new RegExp(`^node:${major}\\.\\d+[\\w.-]*$`));
  });

  test('runs as a user that is not root, and knows whether it is healthy', () => {
    expect(last.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001']);
    // Its base may have no shell.
    expect(last.filter((line) => line.startsWith('RUN '))).toEqual([]);
    const userAt = last.findIndex((line) => line.startsWith('USER '));
    expect(last.slice(userAt).filter((line) => /^(RUN|COPY|ADD) /.test(line))).toEqual([]);
    expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(last.some((line) => line.startsWith('STOPSIGNAL SIGTERM'))).toBe(true);
  });

  test('takes nothing from the network but packages, and holds no secret', () => {
    expect(of('ADD')).toEqual([]);
    const args = of('ARG').map((line) => line.split('=')[0]);
    expect(args).toEqual(['BUILD_IMAGE', 'BASE_IMAGE', 'VERSION', 'REVISION']);
    const named = of('ENV').flatMap((line) => line.split(' ').map((one) => one.split('=')[0] ?? ''));
    expect(
      named.filter((name) => !VARIABLES.has(name) && !/^(MALLOC_|npm_config_nodedir$)/.test(name)),
    ).toEqual([]);
    expect(named.filter((name) => /KEY_FILE|URL|PIN|PASSWORD/.test(name))).toEqual([]);
  });

  test('is started by commands in the form of a list: signals reach the server', () => {
    for (const word of ['ENTRYPOINT', 'CMD'])
      expect(of(word).map((line) => JSON.parse(line))).toHaveLength(1);
    const [health = ''] = of('HEALTHCHECK');
    expect(JSON.parse(health.slice(health.indexOf('CMD ') + 4))).toHaveLength(3);
  });
});

describe('compose', () => {
  test('has two gateways, a PostgreSQL, a Redis and a proxy; a Prometheus and a Grafana only if asked for', () => {
    expect(gateways).toHaveLength(2);
    const others = Object.entries(compose.services).filter(([name]) => !name.startsWith('gateway-'));
    expect(others.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['database', undefined],
      ['redis', undefined],
      ['proxy', undefined],
      ['prometheus', ['monitoring']],
      ['grafana', ['monitoring']],
    ]);
  });

  test('every file that a service gets is there, or made before', () => {
    const sources = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => source.startsWith('./')),
    );
    expect(sources).toContain('./grafana-dashboard.json');
    expect(sources.filter((source) => !existsSync(deployPath(source)))).toEqual(['./tls']);
  });

  test('Prometheus scrapes the metrics of every gateway, with the alerts; Grafana has it, and the dashboard', () => {
    const at = (service: string, path: string): string =>
      compose.services[service]?.volumes?.find((volume) => volume.split(':')[1] === path)?.split(':')[0] ??
      path;
    const { metrics } = settings();
    const { scrape_configs: scrapes, rule_files: rules } = readDeployYaml<{
      readonly scrape_configs: readonly {
        readonly job_name: string;
        readonly static_configs: readonly { readonly targets: readonly string[] }[];
      }[];
      readonly rule_files: readonly string[];
    }>(at('prometheus', '/etc/prometheus/prometheus.yaml'));
    expect(scrapes.map(({ job_name }) => job_name)).toEqual(['keyslot']);
    const targets = scrapes.flatMap(({ static_configs }) => static_configs.flatMap((one) => one.targets));
    expect(targets).toEqual(gateways.map(([name]) => `${name}:${metrics.port}`));
    expect(rules.map((name) => at('prometheus', `/etc/prometheus/${name}`))).toEqual(['./alerts.yaml']);

    const { datasources } = readDeployYaml<{ readonly datasources: readonly unknown[] }>(
      at('grafana', '/etc/grafana/provisioning/datasources/keyslot.yaml'),
    );
    expect(datasources).toMatchObject([
      { type: 'prometheus', url: 'http://prometheus:9090', isDefault: true },
    ]);
    const { providers } = readDeployYaml<{
      readonly providers: readonly { readonly options: { readonly path: string } }[];
    }>(at('grafana', '/etc/grafana/provisioning/dashboards/keyslot.yaml'));
    expect(providers.map(({ options }) => at('grafana', `${options.path}/keyslot.json`))).toEqual([
      './grafana-dashboard.json',
    ]);
  });

  test('the monitoring can be reached from this machine alone, with a password of its own', () => {
    const { prometheus, grafana } = compose.services;
    expect(prometheus?.ports).toBeUndefined();
    expect(grafana?.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(grafana?.environment?.GF_SECURITY_ADMIN_PASSWORD__FILE).toBe('/run/secrets/grafana.password');
    for (const service of [prometheus, grafana])
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  test.each(gateways)(
    '%s can write to its data directory and /tmp alone, and has no capability',
    (_, service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], user: '10001:10001' });
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      const writable = service.volumes?.filter((volume) => !volume.endsWith(':ro'));
      expect(writable).toEqual([expect.stringMatching(/^gateway-\d:\/var\/lib\/keyslot$/)]);
      expect(service.ports).toBeUndefined();
    },
  );

  test('gateways share no data directory, and everything that they must share', () => {
    const [first, second] = gateways.map(([, { volumes, networks: _address, ...rest }]) => ({
      volumes,
      rest,
    }));
    expect(first?.volumes).not.toEqual(second?.volumes);
    expect(first?.rest).toEqual(second?.rest);
    expect(first?.rest.secrets).toEqual(['master.key', 'installation.key']);
  });

  test('blocks are shared, and Redis has memory for those of two networks and drops nothing for them', () => {
    for (const [, { environment }] of gateways)
      expect(environment).toMatchObject({ KEYSLOT_REDIS_TOPICS: 'shared' });
    const command = compose.services.redis?.command as readonly string[];
    const given = (option: string): string | undefined => command[command.indexOf(option) + 1];
    expect(given('--maxmemory-policy')).toBe('noeviction');
    const gigabytes = /^(\d+)gb$/.exec(given('--maxmemory') ?? '')?.[1];
    expect(Number(gigabytes) * 2 ** 30).toBeGreaterThan(2 * Number(settings().redis.topics_bytes) * (4 / 3));
  });

  test('names settings, secrets, volumes and images that exist, and no image without a version', () => {
    for (const [name, service] of gateways)
      for (const variable of Object.keys(service.environment ?? {}))
        expect(VARIABLES, name).toContain(variable);
    for (const { secrets = [], volumes = [], image } of Object.values(compose.services)) {
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      const named = volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((source) => !/^[./]/.test(source));
      for (const volume of named) expect(Object.keys(compose.volumes)).toContain(volume);
      if (image !== 'keyslot') expect(image).toMatch(/:v?\d+\.\d+/);
    }
  });

  test('a gateway that is replaced keeps its address, which nginx has looked up, and no other container gets it', () => {
    const [{ subnet, ip_range: others }] = compose.networks.inside.ipam.config;
    const found = gateways.map(
      ([, { networks }]) =>
        (networks as { readonly inside?: { readonly ipv4_address?: string } }).inside?.ipv4_address ?? '',
    );
    expect(new Set(found).size).toBe(gateways.length);
    for (const address of found) {
      expect(readBlock(subnet).check(address)).toBe(true);
      expect(readBlock(others).check(address)).toBe(false);
    }
  });

  test('waits longer for a gateway to stop than that takes', () => {
    const { shutdown_grace_ms, shutdown_deadline_ms } = settings();
    for (const [, service] of gateways)
      expect(Number.parseInt(String(service.stop_grace_period), 10) * 1_000).toBeGreaterThan(
        shutdown_grace_ms + shutdown_deadline_ms,
      );
  });

  test('settings are valid, and trust the network of the proxy', () => {
    const config = settings();
    expect(config.http.trusted_proxies).toEqual(
      compose.networks.inside.ipam.config.map(({ subnet }) => subnet),
    );
    expect(config.http.behind_proxy).toBe(true);
  });
});

describe('files next to compose.yaml: secrets, keys, backups and copies of volumes', () => {
  const made = [
    /mkdir -p ([\w ]+) &&/.exec(readDeployFile('compose.yaml'))?.[1]?.split(' ') ?? [],
    ...['\nbackup gateway-1', ' restore /restore/'].map((part) =>
      [...readOperateBlock(part).matchAll(/install -d .*?(\w+)$|\.\/(\S+\.old)|(\S+-key\.txt)/gm)].flatMap(
        ([, ...names]) => names.filter((name) => name !== undefined),
      ),
    ),
  ].flat();

  test('is all known here', () => {
    expect(made).toEqual(['secrets', 'tls', 'backups', 'gateway-1.old', 'restore', 'backup-key.txt']);
  });

  test.each([
    ['the image', readDeployFile('Containerfile.dockerignore'), ''],
    // Without a slash git looks in all folders.
    ['git', readFileSync(new URL('.gitignore', ROOT), 'utf8'), '**/'],
  ])('never gets into %s', (_, text, everywhere) => {
    const patterns = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/\/$/, ''))
      .map((line) => (line.includes('/') ? line : `${everywhere}${line}`));
    for (const name of made)
      expect(
        patterns.filter((pattern) => matchesGlob(join('docs/deploy', name), pattern)),
        name,
      ).not.toEqual([]);
  });
});

describe('nginx', () => {
  const text = readDeployFile('nginx.conf').replaceAll(/#.*/g, '');

  test('has balanced blocks, and ends each directive', () => {
    expect(text.split('{').length).toBe(text.split('}').length);
    const open = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/[;{}]$/.test(line));
    expect(open).toEqual([]);
  });

  test('reaches every gateway by both protocols, buffers nothing, logs no query, passes on no address that a client wrote', () => {
    const { http } = settings();
    for (const [name] of gateways) {
      expect(text).toContain(`server ${name}:${http.port} `);
      expect(text).toContain(`server ${name}:50051 `);
    }
    for (const directive of [
      'proxy_buffering off;',
      'proxy_request_buffering off;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
    ])
      expect(text).toContain(directive);
    // One whose machine is gone answers nothing: a connection that is not accepted is an error of nginx's kind "timeout".
    for (const kind of ['proxy', 'grpc'])
      for (const directive of [
        `${kind}_connect_timeout 2s;`,
        `${kind}_next_upstream error timeout;`,
        `${kind}_next_upstream_timeout 10s;`,
      ])
        expect(text).toContain(directive);
    expect(text).not.toMatch(/\$request\b|\$request_uri|\$args|\$proxy_add_x_forwarded_for/);
  });
});

function readBlock(cidr: string): BlockList {
  const [network = '', bits] = cidr.split('/');
  const block = new BlockList();
  block.addSubnet(network, Number(bits));
  return block;
}

function settings() {
  return loadConfig({
    file: deployPath('keyslot.yaml'),
    env: { KEYSLOT_DATABASE_URL: 'postgres://keyslot@database/keyslot' },
    cli: {},
  });
}
