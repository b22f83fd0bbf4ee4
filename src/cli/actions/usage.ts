import { parseUsd, printUsd } from '../../../runtime/micro-usd.ts';
import { textTable } from '../text-table.ts';

type Row = Readonly<Record<string, string | number | null>>;

type Usage = {
  readonly since: string;
  readonly by: string;
  readonly rows: readonly Row[];
  readonly wallets: { readonly by: string; readonly rows: readonly Row[] } | null;
};

/** Figures with the heads of their columns. */
type Figures = Readonly<Record<string, string>>;

const CALL_FIGURES: Figures = {
  calls: 'CALLS',
  errors: 'ERRORS',
  caller_errors: 'CALLER ERRORS',
  refused: 'REFUSED',
  weight: 'WEIGHT',
  messages: 'MESSAGES',
};
const WALLET_FIGURES: Figures = { requests: 'REQUESTS', refused: 'REFUSED' };
const CHARGE_FIGURES: Figures = { units: 'UNITS', cost_usd: 'COST USD' };

/** Returns the text of `keyslot usage` for people, with a sum of all rows. `result` is its JSON output. */
export function describeUsage(result: unknown): string {
  const { since, by, rows, wallets } = result as Usage;
  const calls =
    rows.length === 0
      ? `No calls and no pushed messages since ${since}.\n`
      : `Since ${since}. CALLS and WEIGHT count served calls: ERRORS are failures of this server or a node, CALLER ERRORS are mistakes in the call; REFUSED calls are not included. MESSAGES were pushed by subscriptions and streams.\n\n${describeRows(by, rows, CALL_FIGURES)}`;
  return wallets === null || wallets.rows.length === 0 ? calls : `${calls}\n${describeWallets(wallets)}`;
}

function describeWallets({ by, rows }: NonNullable<Usage['wallets']>): string {
  const isByToken = by === 'token';
  const figures = isByToken ? WALLET_FIGURES : { ...WALLET_FIGURES, ...CHARGE_FIGURES };
  const charged = isByToken ? '' : ' UNITS and COST were charged.';
  return `Wallet operations. REQUESTS succeeded, REFUSED ones were answered with an error.${charged}\n\n${describeRows(by, rows, figures)}`;
}

function describeRows(by: string, rows: readonly Row[], figures: Figures): string {
  const owned = by === 'key' || by === 'token' ? ['name', 'account'] : [];
  const right = Object.values(figures);
  const head = [by, ...owned].map((name) => name.toUpperCase());
  const cells = (row: Row) =>
    Object.keys(figures).map((figure) => printFigure(figure, readFigure(figure, row)));
  const lines = rows.map((row) => [...[by, ...owned].map((name) => String(row[name] ?? '')), ...cells(row)]);
  const sums = Object.keys(figures).map((figure) => [
    figure,
    printFigure(
      figure,
      rows.reduce((sum, row) => sum + readFigure(figure, row), 0n),
    ),
  ]);
  const total = ['all', ...owned.map(() => ''), ...cells(Object.fromEntries(sums))];
  return textTable([...head, ...right], rows.length === 1 ? lines : [...lines, total], right);
}

/** Amounts are in micro-USD, so sums are exact. */
function readFigure(name: string, row: Row): bigint {
  const shown = row[name] ?? 0;
  return name === 'cost_usd' ? (parseUsd(String(shown)) ?? 0n) : BigInt(shown);
}

function printFigure(name: string, figure: bigint): string {
  return name === 'cost_usd' ? printUsd(figure) : String(figure);
}
