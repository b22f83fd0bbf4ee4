import '../support/quiet-bigint-buffer.ts';
import { writeFileSync } from 'node:fs';
import { CONTRACT } from '../../generated/test/ledger/contract.ts';
import { chooseCases } from './command/choose-cases.ts';
import type { Mask } from './command/create-mask.ts';
import { countLimited, isFulfilled, type MethodReport, reportMethods } from './command/method-reports.ts';
import { observeScenario } from './command/observe-scenario.ts';
import { type ContractOptions, readContractOptions } from './command/options.ts';
import { printAsJson, printJunit, printText } from './command/print-report.ts';
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
    const report = { url: mask.shownUrl, methods: (await run(options)).map(hideIn(mask)) };
    process.stdout.write(json ? printAsJson(report) : printText(report));
    if (junitFile !== undefined) writeFileSync(junitFile, printJunit(report));
    if (!isFulfilled(report.methods)) return EXIT_UNFULFILLED;
    return countLimited(report.methods) === 0 ? 0 : EXIT_MISTAKE;
  } catch (error) {
    return mistake(error, mask.hide);
  }
}

/** What servers answer may quote their address, key and all. */
const hideIn =
  ({ hide }: Mask) =>
  (report: MethodReport): MethodReport => ({
    ...report,
    cases: report.cases.map((item) => ({ ...item, failures: item.failures.map(hide) })),
  });

async function run({ target, allowWrites }: ContractOptions): Promise<readonly MethodReport[]> {
  const all = Object.values(CONTRACT).flatMap(({ cases }) => cases);
  if (allowWrites)
    return reportMethods((await runContract(target, all, await actScenario(target))).results, true);
  const { cases, scenario } = chooseCases(all, await observeScenario(target));
  return reportMethods((await runContract(target, cases, scenario)).results, false);
}

function mistake(error: unknown, hide = (text: string): string => text): number {
  const reason = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(
    `contract: ${hide(`${error instanceof Error ? error.message : String(error)}${reason}`)}\n`,
  );
  return EXIT_MISTAKE;
}

process.exitCode = await main(process.argv.slice(2));
