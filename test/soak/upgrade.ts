import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '../../src/base/eventually.ts';
import { createKey, createWallet, listStatus, listWalletIds, readMoney, sign } from '../gateways/customer.ts';
import { type Gateway, GATEWAYS_MISSING, startGateways } from '../gateways/start-gateways.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { findPostgres } from '../support/postgres.ts';
import { command, createToken } from '../support/wallet-account.ts';
import { backUp, restoreAndExamine, runCommand } from './upgrade/back-up.ts';
import { checkOut } from './upgrade/check-out.ts';
import { startLoad } from './upgrade/load.ts';

// `make soak PART=upgrade FROM=<revision>`: two gateways of an older version are replaced by this one, one after the other, under clients
// of every protocol; a backup that is made between the two is restored, and examined by `keyslot doctor`. Exits with 1 if a request failed,
// a wallet or a charge is missing or too many, or doctor finds something wrong; with 2 if it cannot be tried.

const { values } = parseArgs({ options: { from: { type: 'string', default: '' } } });
/** What the load has before, between and after the steps. */
const CALM_MS = 5_000;
const GRACE_MS = 3_000;
const CENT = 0.000_001;
/** Those that older versions know, too. */
const SCOPES = ['wallets:create', 'wallets:read', 'wallets:sign', 'account:read'];

const say = (step: string): void => console.log(step);
const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(2);
};
if (values.from === '') refuse('FROM is missing: make soak PART=upgrade FROM=<revision>');
if (GATEWAYS_MISSING !== undefined) refuse(GATEWAYS_MISSING);
const old = await checkOut(values.from, say).catch((error: Error) => refuse(error.message));

await using started = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'keyslot-upgrade-'));
started.defer(() => rm(directory, { recursive: true, force: true }));
const node = await startLocalnet({ args: ['--slot-ms', '100'] });
started.defer(node.stop);
const env = { KEYSLOT_SHUTDOWN_GRACE_MS: String(GRACE_MS) };
say(`starting two gateways of ${old.commit.slice(0, 8)} (${old.subject})`);
const gateways = await startGateways({ upstreamUrl: node.rpcUrl, env, root: old.root });
started.defer(gateways.remove);
const { one, other } = gateways;

const account = 'upgraded';
const { token } = await createToken(one.dataDir, account, { scopes: SCOPES });
await eventually('the token works at the other', async () =>
  (await listStatus(other, token)) === 200 ? true : undefined,
);
const { key } = await createKey(gateways, account);
// Blocks that a stream is sent again count for the plan too.
await command(one.dataDir, { kind: 'plans.set', name: 'wide', requestsPerSecond: 100_000, burst: 1_000_000 });
await command(one.dataDir, { kind: 'plans.assign', account, plan: 'wide' });
await command(one.dataDir, { kind: 'wallet-limit', account, requests: 1_000_000 });
await command(one.dataDir, { kind: 'money.credit', account, amountUsd: '10000' });
const { body: wallet } = await createWallet(one, token);
const walletId = String(wallet.wallet_id);
const { chargedUsd: price } = await readMoney(one, account);
await sign(one, token, walletId);
const signPrice = (await readMoney(one, account)).chargedUsd - price;

const load = startLoad({ gateways, key, token, walletId });
const steps: string[] = [];
const replace = async (gateway: Gateway, name: string): Promise<void> => {
  const startMs = performance.now();
  await gateway.stop();
  const stoppedMs = performance.now();
  await gateway.start(process.cwd());
  await eventually('it is ready', async () => (await fetch(`${gateway.baseUrl}/readyz`)).ok || undefined);
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  steps.push(
    `${name}: stopped in ${seconds(stoppedMs - startMs)}, ready after ${seconds(performance.now() - stoppedMs)}`,
  );
};
await pause(CALM_MS);
say('replacing the first one');
await replace(one, 'first gateway');
await pause(CALM_MS);
say('making a backup, with both versions at work');
const backup = await backUp(directory, one.env);
say('replacing the second one');
await replace(other, 'second gateway');
await pause(CALM_MS);
say('waiting for the last answers');
await load.stop();

const { answered, failures, reconnects } = load;
const faults: string[] = [...failures];
const wallets = (await listWalletIds(one, token)).length;
if (wallets !== answered.creations + 1) faults.push(`${wallets} wallets of ${answered.creations + 1}`);
const { chargedUsd, reservedUsd } = await eventually('nothing is reserved', async () => {
  const money = await readMoney(other, account);
  return money.reservedUsd === 0 ? money : undefined;
});
const due = (answered.creations + 1) * price + (answered.signatures + 1) * signPrice;
if (Math.abs(chargedUsd - due) > CENT)
  faults.push(`charged ${chargedUsd} USD, due ${due}; reserved ${reservedUsd}`);
// Each signer signs heads with a key of its own.
const publicKeys = await Promise.all(
  [one, other].map(async ({ dataDir }) => (await command(dataDir, { kind: 'audit.verify' })).public_keys),
);
const audit = await command(one.dataDir, { kind: 'audit.verify', publicKeys: publicKeys.flat() });
if (String(audit.is_sound) !== 'true') faults.push(`the audit log: ${JSON.stringify(audit)}`);
say('restoring the backup into a scratch place');
const restored = await restoreAndExamine(backup, {
  ...{ directory, env: one.env, databaseUrl: (await findPostgres()) ?? '' },
});
if (!restored.isSound) faults.push('doctor finds something wrong with the restored installation');
const { end, stdout } = await runCommand(['doctor'], one.env);
if (end !== 'exit code 0')
  faults.push(`doctor finds something wrong with the upgraded installation:\n${stdout}`);

say(`\nfrom ${old.commit} (${old.subject})`);
for (const step of steps) say(step);
for (const [kind, count] of Object.entries(answered))
  say(
    `${kind}: ${count} answered, ${failures.filter((failure) => failure.startsWith(`${kind}:`)).length} failed`,
  );
for (const [reason, count] of reconnects) say(`told to connect again: ${reason}, ${count} times`);
say(`backup: ${backup.sizeBytes} bytes; doctor of the restored installation:\n${restored.text}`);
say(
  faults.length === 0
    ? 'Everything held.'
    : `${faults.length} faults:\n${[...new Set(faults)].slice(0, 20).join('\n')}`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
