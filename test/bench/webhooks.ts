import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createAccountClient } from '../../generated/account/client.ts';
import { startKeyslot } from '../support/keyslot.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { Connection } from './connection.ts';
import { readCpuUs } from './cpu.ts';
import { addEvents, isFailing, startDownReceiver } from './waiting-events.ts';
import { LATENCY_LOADS, newAccount, timeOf } from './wallet-latency.ts';

// Measures what events that wait for a receiver that is down cost the wallet service. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    waiting: { type: 'string', default: '100000' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const waiting = Number(values.waiting);
const CALLS = 500;
/** Rounds that go ahead unmeasured: until V8 has compiled what runs. */
const WARM_UP = 4;
const [busy = 0] = loadavg();

type Round = { readonly cpuUs: number; readonly p50Ms: number };

const postgresUrl = await findPostgres();
if (postgresUrl === undefined) throw new Error(POSTGRES_MISSING);
const { url: databaseUrl, drop } = await createDatabase(postgresUrl);
const receiver = await startDownReceiver();
const env = { KEYSLOT_DATABASE_URL: databaseUrl, KEYSLOT_WEBHOOKS_ALLOWED_TARGETS: '127.0.0.0/8' };
const keyslot = await startKeyslot({ env });
try {
  const { token } = await newAccount(keyslot.dataDir, '100000');
  const account = createAccountClient({ url: keyslot.baseUrl, token });
  const { webhook_id: id } = await account.createWebhook({
    name: 'down',
    url: receiver.url,
    events: ['wallet.*'],
  });
  const { account_id: accountId } = await account.getAccount();
  await addEvents({ dataDir: keyslot.dataDir, databaseUrl }, accountId, waiting);
  const rows: string[] = [];
  for (const load of LATENCY_LOADS.filter(({ name }) => name === 'fetch' || name === 'sign')) {
    const next = await load.prepare({ baseUrl: keyslot.baseUrl, token, dataDir: keyslot.dataDir }, CALLS);
    const connection = new Connection(Number(new URL(keyslot.baseUrl).port));
    const pairs: { readonly on: Round; readonly off: Round }[] = [];
    for (let at = -WARM_UP; at < rounds; at += 1) {
      const measured = new Map<boolean, Round>();
      // Which comes first changes from round to round.
      for (const isOn of at % 2 === 0 ? [true, false] : [false, true]) {
        await account.updateWebhook(id, { active: isOn });
        if (isOn) await isFailing(account, id);
        measured.set(isOn, await measure(connection, next));
      }
      const [on, off] = [measured.get(true), measured.get(false)];
      if (at >= 0 && on !== undefined && off !== undefined) pairs.push({ on, off });
    }
    connection.close();
    rows.push(render(load.name, pairs));
  }
  const results = `# Results of the bench of webhooks

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; PostgreSQL; ${waiting} events waiting for a receiver that answers 503. The load average of the machine was ${busy.toFixed(1)} before.

| operation | CPU of a call, waiting to none | p50, waiting to none | p50 ms, waiting | p50 ms, none |
|---|---:|---:|---:|---:|
${rows.join('\n')}

Medians of ${rounds} rounds of ${CALLS} calls, in brackets the smallest and the largest: with the webhook on, and with the same webhook turned off.
`;
  console.log(results);
  if (!values['dry-run']) await writeFile(new URL('webhook-results.md', import.meta.url), results);
} finally {
  await keyslot.stop();
  receiver.close();
  await drop();
}

async function measure(connection: Connection, next: () => Buffer): Promise<Round> {
  const latencies: number[] = [];
  const before = readCpuUs(keyslot.pid);
  for (let at = 0; at < CALLS; at += 1) latencies.push(await timeOf(connection, next()));
  return { cpuUs: (readCpuUs(keyslot.pid) - before) / CALLS, p50Ms: median(latencies) };
}

function render(name: string, pairs: readonly { readonly on: Round; readonly off: Round }[]): string {
  const ratio = (of: (round: Round) => number): string => {
    const all = pairs.map(({ on, off }) => of(on) / of(off)).sort((a, b) => a - b);
    return `${median(all).toFixed(2)} (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)})`;
  };
  const cells = [
    ...[ratio(({ cpuUs }) => cpuUs), ratio(({ p50Ms }) => p50Ms)],
    ...[
      median(pairs.map(({ on }) => on.p50Ms)).toFixed(2),
      median(pairs.map(({ off }) => off.p50Ms)).toFixed(2),
    ],
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
