import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from '../../../runtime/contract-case.ts';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import type { Terminal } from '../../core/terminal.ts';
import { chooseCases } from './command/choose-cases.ts';
import {
  type Mask,
  type ContractOptions,
  type Development,
  openDevelopment,
  readContractOptions,
  readGiven,
} from './command/options.ts';
import {
  countLimited,
  isFulfilled,
  type PartReport,
  reportMethods,
  reportSubscriptions,
  type RunMeans,
  askVersionNeed,
} from './command/method-reports.ts';
import {
  createDriftRecord,
  type DriftReport,
  partsOf,
  printAsJson,
  printJunit,
  printText,
  type RunReport,
} from './command/print-report.ts';
import { observeScenario } from './command/observe-scenario.ts';
import { runAccount } from './command/run-account.ts';
import { runWallets } from './command/run-wallets.ts';
import type { HearAnswer } from './json-rpc.ts';
import { runContract } from './runner.ts';
import { runStreams } from './streams/run-streams.ts';
import type { SocketTarget } from './subscriptions/contract-socket.ts';
import { runSubscriptions } from './subscriptions/run-subscriptions.ts';
import {
  type NextTransfer,
  withNextTransfer,
  withoutTransfer,
} from './subscriptions/subscription-scenario.ts';

/** Exit codes other than 0: the server does not fulfil the contract; or it could not be fully checked, or the command line is wrong. */
const EXIT_UNFULFILLED = 1;
const EXIT_MISTAKE = 2;

/**
 * `keyslot contract`: runs the contract cases against a server and prints what holds.
 *
 * @returns the exit code: 0 if the server passes them, 1 if it does not, 2 if it could not be checked.
 */
export async function contractCommand(
  args: readonly string[],
  { env, writeOut, writeError }: Terminal,
): Promise<number> {
  const mistake = (error: unknown, hide = (text: string): string => text): number => {
    writeError(`contract: ${hide(reasonOf(error))}\n`);
    return EXIT_MISTAKE;
  };
  let options: ContractOptions;
  let development: Development;
  try {
    development = await openDevelopment(readGiven(args, env), {
      dataDir: env.KEYSLOT_DATA_DIR ?? '.keyslot',
      tell: (line) => writeError(`${line}\n`),
    });
    options = readContractOptions(development.given);
  } catch (error) {
    return mistake(error);
  }
  const { mask, junitFile, json } = options;
  const drift = createDriftRecord();
  try {
    // In parallel: the wallet service waits for codes, the ledger for blocks.
    const parts = [
      runLedger(heardBy(drift.hear, options)),
      runWalletService(options),
      runAccountService(options),
      runStreamService(options),
    ] as const;
    await Promise.allSettled(parts);
    const [ledger, wallets, accounts, streams] = await Promise.all(parts);
    const methods = ledger.methods.map(hideIn(mask));
    const subscriptions = ledger.subscriptions.map(hideIn(mask));
    const operations = wallets.map(hideIn(mask));
    const account = accounts.map(hideIn(mask));
    const calls = streams.map(hideIn(mask));
    const found = options.ledger && hideInDrift(mask, drift.report());
    const report = { url: mask.shownUrl, methods, subscriptions, operations, account, calls, drift: found };
    writeOut(json ? printAsJson(report) : printText(report));
    if (junitFile !== undefined) writeFileSync(junitFile, printJunit(report));
    if (!isFulfilled(partsOf(report))) return EXIT_UNFULFILLED;
    return countLimited(partsOf(report)) === 0 ? 0 : EXIT_MISTAKE;
  } catch (error) {
    return mistake(error, mask.hide);
  } finally {
    await development.signOut();
  }
}

/** Answers of servers may quote their address, including the key. */
const hideIn =
  ({ hide }: Mask) =>
  (report: PartReport): PartReport => ({
    ...report,
    cases: report.cases.map((item) => ({ ...item, failures: item.failures.map(hide) })),
  });

const hideInDrift = ({ hide }: Mask, { version, findings }: DriftReport): DriftReport => ({
  version: version === undefined ? undefined : hide(version),
  findings: findings.map((finding) => ({ ...finding, name: hide(finding.name) })),
});

function heardBy(hear: HearAnswer, { ledger, sockets, ...options }: ContractOptions): ContractOptions {
  return {
    ...options,
    ledger: ledger && { ...ledger, hear },
    sockets: sockets && { ...sockets, hear },
  };
}

type LedgerReports = Pick<RunReport, 'methods' | 'subscriptions'>;

async function runLedger({ ledger, sockets, allowWrites }: ContractOptions): Promise<LedgerReports> {
  if (ledger === undefined) return { methods: [], subscriptions: [] };
  const versionNeed = await askVersionNeed(ledger);
  const isThere = (item: Case): boolean => versionNeed.whyLeftOut(item) === undefined;
  const all = Object.values(CONTRACT)
    .flatMap(({ cases }) => cases)
    .filter(isThere);
  const subscribing = Object.values(SUBSCRIPTION_CONTRACT).flat().filter(isThere);
  const means = { isOwnHistory: allowWrites, versionNeed };
  if (allowWrites) {
    const { actScenario } = await loadScenario();
    const scenario = await actScenario(ledger);
    const methods = reportMethods(await runContract(ledger, all, scenario), means);
    if (sockets === undefined) return { methods, subscriptions: [] };
    const next = await withNextTransfer(ledger, scenario);
    return { methods, subscriptions: await subscribe(sockets, subscribing, next, means) };
  }
  const observed = await observeScenario(ledger);
  const { cases, scenario } = chooseCases(all, observed);
  const methods = reportMethods(await runContract(ledger, cases, scenario), means);
  if (sockets === undefined) return { methods, subscriptions: [] };
  const chosen = chooseCases(
    subscribing.filter(({ by }) => by !== 'transfer'),
    withoutTransfer(observed),
  );
  return { methods, subscriptions: await subscribe(sockets, chosen.cases, chosen, means) };
}

async function subscribe(
  sockets: SocketTarget,
  cases: readonly Case[],
  { scenario, transfer = async () => undefined }: Pick<NextTransfer, 'scenario'> & Partial<NextTransfer>,
  means: RunMeans,
): Promise<LedgerReports['subscriptions']> {
  return reportSubscriptions(await runSubscriptions(sockets, cases, scenario, transfer), means);
}

async function runWalletService({ wallets, allowWrites }: ContractOptions): Promise<readonly PartReport[]> {
  return wallets === undefined ? [] : await runWallets(wallets, allowWrites, { nowMs: Date.now, pause });
}

async function runAccountService({ account, allowWrites }: ContractOptions): Promise<readonly PartReport[]> {
  return account === undefined ? [] : await runAccount(account, allowWrites);
}

async function runStreamService({ streams }: ContractOptions): Promise<readonly PartReport[]> {
  return streams === undefined ? [] : await runStreams(streams);
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error instanceof Error ? error.message : String(error)}${reason}`;
}

const PACKAGES = '@solana/web3.js@1 @solana/spl-token@0.4';

/**
 * Loads the code that acts out the scenario. Only writing runs need its packages, so Keyslot's package does not include them.
 *
 * @throws Error naming the packages to install.
 */
async function loadScenario(): Promise<typeof import('./scenario.ts')> {
  return await import('./scenario.ts').catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error;
    throw new Error(`--allow-writes needs packages that are not installed: npm install ${PACKAGES}`);
  });
}

function isMissingPackage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
