import { parseArgs } from 'node:util';
import { seededRandom } from '../wallets/kill/random.ts';
import { findBackends } from './kills/backends.ts';
import { renderKills } from './kills/report.ts';
import { type BackendResult, runBackend } from './kills/run-backend.ts';

// `make soak PART=kills`: kills a server, its signer and its store under load, on every backend, and holds what is there afterwards
// against what clients were told. Exits with 1 when a wallet is lost or revived, when charges break the rule, or anything else is wrong.

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '300' } } });
const all = Number(values.rounds);
if (!Number.isSafeInteger(all) || all < 1)
  throw new RangeError(`ROUNDS is ${values.rounds}, and has to be 1 or more`);

const backends = await findBackends();
for (const { name, missing } of backends)
  if (missing !== undefined) console.log(`left out: ${name}: ${missing}`);
const found = backends.filter(({ missing }) => missing === undefined);
const shares = found.reduce((sum, { share }) => sum + share, 0);
const random = seededRandom('kills');

const results: BackendResult[] = [];
let left = all;
let leftShares = shares;
for (const backend of found) {
  const rounds = Math.round((left * backend.share) / leftShares);
  [left, leftShares] = [left - rounds, leftShares - backend.share];
  const startedAtMs = performance.now();
  results.push(
    await runBackend(backend, { rounds, random, onFault: (what) => console.error(`FAULT ${what}`) }),
  );
  console.log(
    `${backend.name}: ${rounds} rounds in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`,
  );
}
console.log(`\n${renderKills(results)}`);
const faults = results.flatMap((result) => result.faults);
console.log(faults.length === 0 ? '\nEverything held.' : `\n${faults.length} faults:\n${faults.join('\n')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
