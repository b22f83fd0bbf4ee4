import '../support/quiet-bigint-buffer.ts';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CONTRACT } from '../../generated/test/ledger/contract.ts';
import { chooseCases } from './command/choose-cases.ts';
import type { Mask } from './command/create-mask.ts';
import { countLimited, isFulfilled, type PartReport, reportMethods } from './command/method-reports.ts';
import { observeScenario } from './command/observe-scenario.ts';
import { type ContractOptions, readContractOptions } from './command/options.ts';
import { partsOf, printAsJson, printJunit, printText } from './command/print-report.ts';
import { runWallets } from './command/run-wallets.ts';
import { runContract } from './runner.ts';
import { actScenario } from './scenario.ts';

/** The exit codes beside 0: the server does not fulfil the contract; it could not be asked, or not everything, or the command line is wrong. */
const EXIT_UNFULFILLED = 1;
const EXIT_MISTAKE = 2;

/** `keyslot contract`: runs the contract cases against a server and prints what holds. */
async function main(args: readonly string[]): Promise<number> {
  let options: ContractOptions;
  try {
    options = readContractOptions(args);
  } catch (error) {
    return mistake(error);
  }
  const { mask, junitFile, json } = options;
  try {
    const methods = (await runLedger(options)).map(hideIn(mask));
    const operations = (await runWalletService(options)).map(hideIn(mask));
    const report = { url: mask.shownUrl, methods, operations };
    process.stdout.write(json ? printAsJson(report) : printText(report));
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

async function runLedger({ ledger, allowWrites }: ContractOptions): Promise<readonly PartReport[]> {
  if (ledger === undefined) return [];
  const all = Object.values(CONTRACT).flatMap(({ cases }) => cases);
  if (allowWrites)
    return reportMethods((await runContract(ledger, all, await actScenario(ledger))).results, true);
  const { cases, scenario } = chooseCases(all, await observeScenario(ledger));
  return reportMethods((await runContract(ledger, cases, scenario)).results, false);
}

async function runWalletService({ wallets, allowWrites }: ContractOptions): Promise<readonly PartReport[]> {
  return wallets === undefined ? [] : await runWallets(wallets, allowWrites, { nowMs: Date.now, pause });
}

function mistake(error: unknown, hide = (text: string): string => text): number {
  const reason = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(
    `contract: ${hide(`${error instanceof Error ? error.message : String(error)}${reason}`)}\n`,
  );
  return EXIT_MISTAKE;
}

process.exitCode = await main(process.argv.slice(2));
