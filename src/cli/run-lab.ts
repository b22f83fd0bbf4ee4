import { mkdir, writeFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../generated/config.ts';
import type { Scenario } from '../../generated/lab.ts';
import { type InstallationKey, loadInstallationKey } from '../account/installation-key.ts';
import { systemClock } from '../base/clock.ts';
import { serviceError } from '../base/service-error.ts';
import type { Terminal } from '../base/terminal.ts';
import { loadConfig } from '../config/load-config.ts';
import { renderPage } from '../lab/report/page/render-page.ts';
import { readReport } from '../lab/report/read-report.ts';
import { makeReport } from '../lab/report/report.ts';
import { isSignedReport, reportKey, signReport } from '../lab/report/sign-report.ts';
import { Leftovers } from '../lab/gateways/leftovers.ts';
import { runLab } from '../lab/run-lab.ts';
import { loadScenario } from '../lab/scenario/load-scenario.ts';
import { describeLab, describeLeftovers, describeVerification } from './lab-text.ts';
import type { Invocation } from './parse-command-line.ts';
import type { OptionValues } from './read-arguments.ts';
import { readVersion } from '../base/version.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;
const MAX_SEED = 2 ** 31 - 1;
const MAX_MINUTES = 1_440;
/** The lab looks for a stopping gateway so often that it sees it in time, also on a busy machine. */
const LEAST_GRACE_MS = 2_000;
const PUBLIC_KEY = /^[0-9a-f]{64}$/;

/**
 * `keyslot lab run`: runs a scenario, and writes the signed report and its page.
 *
 * @returns the exit code: 1 when an invariant is broken.
 * @throws ServiceError `invalidCommand` with every mistake of the scenario, `invalidConfig` with those of the settings.
 */
export async function runLabCommand(
  { words: [file = ''], options }: Pick<Invocation, 'words' | 'options'>,
  terminal: Terminal,
): Promise<number> {
  process.umask(PRIVATE);
  const config = configOf(options, terminal);
  const scenario = withMinutes(loadScenario(file), options);
  const services = {
    databaseUrl: textOf(options.database) ?? terminal.env.KEYSLOT_LAB_DATABASE_URL,
    redisUrl: textOf(options.redis) ?? terminal.env.KEYSLOT_LAB_REDIS_URL,
  };
  checkServices(scenario, services, config);
  const seed = readWhole('seed', options.seed, MAX_SEED) ?? scenario.seed ?? randomInt(MAX_SEED);
  const key = await keyOf(config);
  const out = textOf(options.out) ?? '.';
  await mkdir(out, { recursive: true });
  const early = new AbortController();
  const leftovers = new Leftovers();
  const stopListening = onSignal(
    () => early.abort(),
    () => terminal.writeError(describeLeftovers(leftovers.list())),
  );
  const onProgress = (step: string): void => terminal.writeError(`keyslot: ${step}\n`);
  const { nowMs } = systemClock;
  try {
    const run = await runLab({
      ...{ config, scenario, services, seed, leftovers, signal: early.signal, nowMs, onProgress },
    });
    const made = { config, scenario, services, seed, version: readVersion(), nowMs: nowMs() };
    const signed = signReport(makeReport(run, { ...made, endedEarly: early.signal.aborted }), key);
    const [json, page] = [join(out, 'lab-report.json'), join(out, 'lab-report.html')];
    await writeFile(json, `${JSON.stringify(signed)}\n`);
    await writeFile(page, renderPage(signed));
    const { report, signature } = signed;
    const { is_sound: isSound, invariants } = report;
    const shown = {
      is_sound: isSound,
      seed,
      public_key: signature.public_key,
      report: json,
      page,
      invariants,
    };
    terminal.writeOut(
      options.json === true ? `${JSON.stringify(shown)}\n` : describeLab(signed, { json, page }),
    );
    return isSound ? 0 : 1;
  } finally {
    stopListening();
  }
}

/**
 * `keyslot lab verify`: verifies the signature of a report, and by whom it must be.
 *
 * @returns the exit code: 1 when it is not signed, or by another key.
 * @throws ServiceError `invalidCommand` for a file that is no report, and for a key that is none.
 */
export async function verifyLabReport(
  { words: [file = ''], options }: Pick<Invocation, 'words' | 'options'>,
  terminal: Terminal,
): Promise<number> {
  const signed = await readReport(file);
  const wanted = await wantedKey(options, terminal);
  const publicKey = signed.signature.public_key;
  const isSigned = isSignedReport(signed);
  const isGood = isSigned && (wanted === undefined || wanted === publicKey);
  const verdict = {
    ...{
      is_signed: isSigned,
      public_key: publicKey,
      is_trusted_key: wanted === undefined ? null : wanted === publicKey,
    },
    ...{
      is_sound: signed.report.is_sound,
      made_at: signed.report.made_at,
      scenario: signed.report.scenario.name,
    },
  };
  terminal.writeOut(options.json === true ? `${JSON.stringify(verdict)}\n` : describeVerification(verdict));
  return isGood ? 0 : 1;
}

async function wantedKey(options: OptionValues, terminal: Terminal): Promise<string | undefined> {
  const given = textOf(options['public-key'])?.toLowerCase();
  if (given !== undefined && !PUBLIC_KEY.test(given))
    throw mistake(`--public-key must be 64 hexadecimal digits, got ${JSON.stringify(given)}`);
  if (given !== undefined && options.config !== undefined)
    throw mistake('expected either --public-key or --config, got both');
  if (given !== undefined || options.config === undefined) return given;
  return reportKey(await keyOf(configOf(options, terminal)));
}

function keyOf({ data_dir: dataDir, installation_key_file: file }: Config): Promise<InstallationKey> {
  return loadInstallationKey({ dataDir, file });
}

function configOf({ config: file, 'data-dir': dataDir }: OptionValues, { env }: Terminal): Config {
  return loadConfig({
    ...{ file: textOf(file), env },
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
}

function checkServices(
  { gateways, faults }: Scenario,
  {
    databaseUrl,
    redisUrl,
  }: { readonly databaseUrl: string | undefined; readonly redisUrl: string | undefined },
  { shutdown_grace_ms: graceMs }: Pick<Config, 'shutdown_grace_ms'>,
): void {
  const wants = (part: string): boolean => faults.some((source) => source.part === part);
  const problems = [
    ...(gateways > 1 && databaseUrl === undefined
      ? [`${gateways} gateways need --database URL: they share a store`]
      : []),
    ...(wants('postgres') && databaseUrl === undefined ? ['faults of postgres need --database URL'] : []),
    ...(wants('redis') && redisUrl === undefined ? ['faults of redis need --redis URL'] : []),
    ...(graceMs < LEAST_GRACE_MS && faults.some(({ kind }) => kind === 'replace')
      ? [
          `faults of kind replace need shutdown_grace_ms of ${LEAST_GRACE_MS} or more, as behind a load balancer; it is ${graceMs}`,
        ]
      : []),
    ...(redisUrl !== undefined && databaseUrl === undefined ? ['--redis needs --database URL'] : []),
    ...(databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)
      ? ['--database must be a postgres:// address']
      : []),
    ...(redisUrl !== undefined && !/^redis:\/\//.test(redisUrl)
      ? ['--redis must be a redis:// address']
      : []),
  ];
  if (problems.length > 0) throw mistake(problems.join('; '));
}

function withMinutes(scenario: Scenario, { minutes }: OptionValues): Scenario {
  const given = readWhole('minutes', minutes, MAX_MINUTES);
  if (given === undefined) return scenario;
  if (given === 0) throw mistake('--minutes must be 1 or more, got 0');
  return { ...scenario, duration_s: given * 60 };
}

function readWhole(name: string, value: OptionValues[string], most: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,10}$/.test(value) && Number(value) <= most) return Number(value);
  throw mistake(`--${name} must be a whole number from 0 to ${most}, got ${JSON.stringify(value)}`);
}

/** Also when the terminal is closed: gateways take SIGHUP for a change of their configuration, and would live on. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The first signal ends the run in order, the second one at once, after `second`. */
function onSignal(first: () => void, second: () => void): () => void {
  let isFirst = true;
  const take = (): void => {
    if (!isFirst) {
      second();
      process.exit(130);
    }
    isFirst = false;
    first();
  };
  for (const signal of SIGNALS) process.on(signal, take);
  return () => {
    for (const signal of SIGNALS) process.off(signal, take);
  };
}

function textOf(value: OptionValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
