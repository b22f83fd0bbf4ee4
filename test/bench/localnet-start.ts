import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { installClient, lendPackages, NODE } from '../support/install-client.ts';

// Measures how long the ledger for tests takes to start, from the packed client. See README.md.

const run = promisify(execFile);
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '21' }, 'dry-run': { type: 'boolean', default: false } },
});
const [busy = 0] = loadavg();

/** A process that does one thing and prints what it took, in milliseconds. */
const PROGRAMS = {
  litesvm: `const begun = performance.now();
    await import('litesvm');
    console.log(JSON.stringify({ importMs: performance.now() - begun }));`,
  localnet: `const begun = performance.now();
    const { startLocalnet } = await import('@keyslot/client/localnet');
    const imported = performance.now();
    const first = await startLocalnet();
    const started = performance.now();
    const second = await startLocalnet();
    const ended = performance.now();
    console.log(JSON.stringify({ importMs: imported - begun, startMs: started - imported, secondMs: ended - started }));
    process.exit();`,
};
type Times = { readonly importMs: number; readonly startMs: number; readonly secondMs: number };
/** `coldMs`: from import to a ledger that answers. */
type Round = Times & { readonly litesvmMs: number; readonly coldMs: number };

const folder = await installClient();
try {
  await lendPackages(folder, ['litesvm']);
  for (const [name, text] of Object.entries(PROGRAMS)) await writeFile(join(folder, `${name}.js`), text);
  const measured: Round[] = [];
  await measure();
  for (let round = 0; round < Number(values.rounds); round += 1) measured.push(await measure());
  const text = report(measured);
  if (values['dry-run']) console.log(text);
  else await writeFile(new URL('localnet-start-results.md', import.meta.url), text);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(): Promise<Round> {
  const times = async (name: keyof typeof PROGRAMS): Promise<Times> =>
    JSON.parse((await run(NODE, [`${name}.js`], { cwd: folder })).stdout) as Times;
  const { importMs: litesvmMs } = await times('litesvm');
  const localnet = await times('localnet');
  return { ...localnet, litesvmMs, coldMs: localnet.importMs + localnet.startMs };
}

function report(measured: readonly Round[]): string {
  const row = (what: string, of: (round: Round) => number, digits = 0): string => {
    const sorted = measured.map(of).toSorted((a, b) => a - b);
    const [least = Number.NaN] = sorted;
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    return `| ${what} | ${median.toFixed(digits)} | ${least.toFixed(digits)} |`;
  };
  return `# Results of the bench of the ledger for tests

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}. The load average of the machine was ${busy.toFixed(1)} before.

| in a new process | median | least |
|---|---:|---:|
${row("`import('litesvm')`, ms", ({ litesvmMs }) => litesvmMs)}
${row("`import('@keyslot/client/localnet')`, ms", ({ importMs }) => importMs)}
${row('`startLocalnet()` after it, ms', ({ startMs }) => startMs)}
${row('a second one, ms', ({ secondMs }) => secondMs)}
${row("import and start to `import('litesvm')` of the same round", ({ coldMs, litesvmMs }) => coldMs / litesvmMs, 2)}

${measured.length} rounds.
`;
}
