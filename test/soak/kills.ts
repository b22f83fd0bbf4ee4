import { parseArgs } from 'node:util';
import { seededRandom } from '../lab/random.ts';
import { describeReport, makeReport } from '../lab/report.ts';
import { findBackends } from './kills/backends.ts';
import { runBackend } from './kills/run-backend.ts';

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
const random = seededRandom('kills');
let [left, leftShares] = [all, found.reduce((sum, { share }) => sum + share, 0)];
let isSound = true;
for (const backend of found) {
  const rounds = Math.round((left * backend.share) / leftShares);
  [left, leftShares] = [left - rounds, leftShares - backend.share];
  const report = makeReport(await runBackend(backend, { rounds, random }));
  console.log(`\n${backend.name}, ${rounds} rounds in ${(report.took_ms / 1_000).toFixed(0)} s:`);
  console.log(describeReport(report));
  isSound &&= report.is_sound;
}
process.exitCode = isSound ? 0 : 1;
