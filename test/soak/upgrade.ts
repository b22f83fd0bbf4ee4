import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { GATEWAYS_MISSING } from '../gateways/start-gateways.ts';
import { lostRequests, replaceGateway } from '../lab/faults/gateway-faults.ts';
import type { GatewayProcess } from '../lab/gateways/lab-gateway.ts';
import { seededRandom } from '../lab/random.ts';
import { describeReport, makeReport } from '../lab/report.ts';
import { runLab } from '../lab/run-lab.ts';
import { SCENARIOS } from '../lab/scenarios.ts';
import { findPostgres } from '../support/postgres.ts';
import { findRedis } from '../support/redis.ts';
import { runCommand } from '../lab/gateways/gateway.ts';
import { type Backup, backUp, restoreAndExamine } from './upgrade/back-up.ts';
import { checkOut } from '../support/check-out.ts';

// `make soak PART=upgrade FROM=<revision>`: two gateways of an older version are replaced by this one, one after the other, under clients
// of every protocol; a backup that is made between the two is restored, and examined by `keyslot doctor`. Exits with 1 if a request failed,
// a wallet or a charge is missing or too many, or doctor finds something wrong; with 2 if it cannot be tried.

const { values } = parseArgs({ options: { from: { type: 'string', default: '' } } });
/** The calm time that clients have before, between and after the steps. */
const CALM_MS = 5_000;

const say = (step: string): void => console.log(step);
const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(2);
};
if (values.from === '') refuse('FROM is missing: make soak PART=upgrade FROM=<revision>');
if (GATEWAYS_MISSING !== undefined) refuse(GATEWAYS_MISSING);
const old = await checkOut(values.from, say).catch((error: Error) => refuse(error.message));
const services = { databaseUrl: await findPostgres(), redisUrl: await findRedis() };

let backup: Backup | undefined;
const faults: string[] = [];
const replace = async (gateway: GatewayProcess | undefined): Promise<void> => {
  if (gateway === undefined) throw new Error('the scenario has two gateways');
  const startMs = performance.now();
  const { end } = await replaceGateway(gateway, process.cwd());
  const stoppedMs = performance.now();
  await end();
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  say(
    `${gateway.name}: stopped in ${seconds(stoppedMs - startMs)}, ready after ${seconds(performance.now() - stoppedMs)}`,
  );
  await pause(CALM_MS);
};
say(`starting two gateways of ${old.commit} (${old.subject})`);
const run = await runLab({
  scenario: { ...SCENARIOS.restarts, faults: [] },
  seed: seededRandom('upgrade')(2 ** 31),
  services,
  root: old.root,
  onProgress: say,
  until: async ({ installation: { gateways, directory } }) => {
    const [one, other] = gateways;
    await pause(CALM_MS);
    await replace(one);
    say('making a backup, with both versions at work');
    backup = await backUp(directory, one?.env ?? {});
    await replace(other);
  },
  after: async ({ gateways: [one], directory }) => {
    if (backup === undefined) return;
    say('restoring the backup into a scratch place');
    const config = ['--config', join(directory, 'keyslot.yaml')];
    const { env = {} } = one ?? {};
    const databaseUrl = services.databaseUrl ?? '';
    const restored = await restoreAndExamine(backup, { directory, env, databaseUrl, config });
    say(`backup: ${backup.sizeBytes} bytes; doctor of the restored installation:\n${restored.text}`);
    if (!restored.isSound) faults.push('doctor finds something wrong with the restored installation');
    const { end, stdout } = await runCommand(['doctor', ...config], env);
    if (end !== 'exit code 0')
      faults.push(`doctor finds something wrong with the upgraded installation:\n${stdout}`);
  },
});
if (backup === undefined) faults.push('it ended before both gateways were replaced');
for (const [name, count] of Object.entries(lostRequests(run.timeline)))
  faults.push(`${count} ${name}, and nothing failed`);
const report = makeReport(run);
say(`from ${old.commit} (${old.subject})\n${describeReport(report)}`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 && report.is_sound ? 0 : 1;
