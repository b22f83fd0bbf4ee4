import { renderTable } from '../render-table.ts';
import type { BackendResult } from './run-backend.ts';

/** The results of the kills as a table of text, a line for each backend and one for all. */
export function renderKills(results: readonly BackendResult[]): string {
  const head = ['backend', 'rounds', 'kills of server/signer/store/start', 'wallets', 'lost', 'destroyed'];
  const rows = results.map(rowOf);
  const sums = ['all', ...[1, 3, 4, 5, 6, 7, 8, 9].map((at) => sumOf(rows, at))];
  const all = [...sums.slice(0, 2), '', ...sums.slice(2)];
  return renderTable([[...head, 'revived', 'delivered', 'charged', 'given away'], ...rows, all]);
}

function rowOf({ name, rounds, kills, ...result }: BackendResult): readonly string[] {
  const { acknowledged, lost, destroyed, revived, delivered, charged, givenAway } = result;
  const counts = [acknowledged, lost, destroyed, revived, total(delivered), total(charged), givenAway];
  const { server, signer, store, start } = kills;
  return [name, String(rounds), [server, signer, store, start].join('/'), ...counts.map(String)];
}

const total = (units: Readonly<Record<string, number>>): number =>
  Object.values(units).reduce((sum, one) => sum + one, 0);

const sumOf = (rows: readonly (readonly string[])[], at: number): string =>
  String(rows.reduce((sum, row) => sum + Number(row[at]), 0));
