import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from '../../runtime/contract-case.ts';
import { CONTRACT } from '../../generated/contract/ledger/contract.ts';
import { SUBSCRIPTION_CONTRACT } from '../../generated/contract/ledger/subscription-contract.ts';
import type { Terminal } from '../base/terminal.ts';
import { chooseCases } from './command/choose-cases.ts';
import type { Mask } from './command/create-mask.ts';
import {
  countLimited,
  isFulfilled,
  type PartReport,
  reportMethods,
  reportSubscriptions,
  type RunMeans,
} from './command/method-reports.ts';
import { createDriftRecord, type DriftReport } from './command/drift-record.ts';
import { observeScenario } from './command/observe-scenario.ts';
import { type ContractOptions, readContractOptions } from './command/options.ts';
import { partsOf, printAsJson, printJunit, printText, type RunReport } from './command/print-report.ts';
import { askVersionNeed } from './command/version-need.ts';
import { runAccount } from './command/run-account.ts';
import { runWallets } from './command/run-wallets.ts';
import type { HearAnswer } from './json-rpc.ts';
import { runContract } from './runner.ts';
import { runStreams } from './streams/run-streams.ts';
import { loadScenario } from './load-scenario.ts';
import type { SocketTarget } from './subscriptions/contract-socket.ts';
import { runSubscriptions } from './subscriptions/run-subscriptions.ts';
import {
  type NextTransfer,
  withNextTransfer,
  withoutTransfer,
} from './subscriptions/subscription-scenario.ts';

/** The exit codes beside 0: the server does not fulfil the contract; it could not be asked, or not everything, or the command line is wrong. */
const EXIT_UNFULFILLED = 1;
const EXIT_MISTAKE = 2;

/**
 * `keyslot contract`: runs the contract cases against a server and prints what holds.
 *
 * @returns the exit code: 0 the server keeps to them, 1 it does not, 2 it could not be asked.
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
  try {
    options = readContractOptions(args, env);
  } catch (error) {
    return mistake(error);
  }
  const { mask, junitFile, json } = options;
  const drift = createDriftRecord();
  try {
    const ledger = await runLedger(heardBy(drift.hear, options));
    const methods = ledger.methods.map(hideIn(mask));
    const subscriptions = ledger.subscriptions.map(hideIn(mask));
    const operations = (await runWalletService(options)).map(hideIn(mask));
    const account = (await runAccountService(options)).map(hideIn(mask));
    const calls = (await runStreamService(options)).map(hideIn(mask));
    const found = options.ledger && hideInDrift(mask, drift.report());
    const report = { url: mask.shownUrl, methods, subscriptions, operations, account, calls, drift: found };
    writeOut(json ? printAsJson(report) : printText(report));
    if (junitFile !== undefined) writeFileSync(junitFile, printJunit(report));
    if (!isFulfilled(partsOf(report))) return EXIT_UNFULFILLED;
    return countLimited(partsOf(report)) === 0 ? 0 : EXIT_MISTAKE;
  } catch (error) {
    return mistake(error, mask.hide);
  }
}

/** What servers answer may quote their address, key and all. */
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
