import { createHash } from 'node:crypto';
import type { LabReport, ShownInvariant } from '../report.ts';
import type { SignedReport } from '../sign-report.ts';
import { clock, escapeHtml, figure } from './html.ts';
import { renderLanes } from './lanes.ts';
import { STYLE } from './style.ts';

/** The most faults that the page lists; the report has all. */
const MAX_FAULTS = 300;

/**
 * Renders a report as one HTML page that asks no host for anything: without scripts, with a style that is allowed by its hash. Everything on
 * it comes from the report, as text.
 */
export function renderPage({ report, signature }: SignedReport): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lab: ${escapeHtml(report.scenario.name)}</title>
<style>${STYLE}</style>
</head>
<body>
${head(report)}
<h2>Invariants</h2>
<div class="wide"><table><thead><tr><th>Promise</th><th>Result</th><th class="number">Looked at</th><th class="number">Broken</th></tr></thead><tbody>
${report.invariants.map(invariantRow).join('\n')}
</tbody></table></div>
${breakList(report)}
<h2>Figures</h2>
<dl class="figures">${figuresOf(report)}</dl>
<h2>Timeline</h2>
<p class="soft">0:00 to ${clock(report.took_ms)}</p>
${renderLanes(report)}
<h2>Faults</h2>
${faultTable(report)}
<h2>Signature</h2>
<p>The report is signed (Ed25519). <code>keyslot lab verify FILE</code> verifies the JSON file beside this page; this page itself proves nothing.</p>
<p class="soft">Public key <code>${escapeHtml(signature.public_key)}</code></p>
</body>
</html>
`;
}

function head({
  scenario,
  is_sound: isSound,
  ended_early: endedEarly,
  installation,
  ...report
}: LabReport): string {
  const { network, nodes, store, redis, left_out: leftOut } = installation;
  const verdict = isSound ? 'Every invariant that was looked at held.' : 'An invariant was broken.';
  const gateways = `${scenario.gateways} ${scenario.gateways === 1 ? 'gateway' : 'gateways'}`;
  const made = `${gateways} before ${nodes.length} scripted nodes of ${network}; store: ${store === 'postgres' ? 'PostgreSQL' : 'embedded'}; ${redis ? 'Redis' : 'no Redis'}`;
  return `<h1>Lab: ${escapeHtml(scenario.name)}</h1>
<p class="soft">${escapeHtml(report.made_at)}, Keyslot ${escapeHtml(report.version)}, seed ${report.seed}, ${clock(report.took_ms)} minutes${endedEarly ? ', ended early' : ''}</p>
<p>${escapeHtml(scenario.summary)}</p>
<p class="verdict${isSound ? '' : ' broken'}">${verdict}</p>
<p>${escapeHtml(made)}.</p>
${leftOut.map((sentence) => `<p class="soft">${escapeHtml(sentence)}</p>`).join('\n')}`;
}

function invariantRow({ name, promise, state, checks, breaks }: ShownInvariant): string {
  const mark = state === 'not checked' ? 'soft' : state;
  return `<tr><td>${escapeHtml(promise)}<br><code class="soft">${name}</code></td><td class="${mark}">${state}</td><td class="number">${figure(checks)}</td><td class="number">${figure(breaks)}</td></tr>`;
}

function breakList({ breaks }: LabReport): string {
  if (breaks.length === 0) return '';
  const items = breaks.map(
    ({ at_ms: at, invariant, what }) =>
      `<tr><td class="number">${clock(at)}</td><td><code>${invariant}</code></td><td>${escapeHtml(what)}</td></tr>`,
  );
  return `<h2>What broke</h2>
<div class="wide"><table><thead><tr><th class="number">At</th><th>Invariant</th><th>What</th></tr></thead><tbody>
${items.join('\n')}
</tbody></table></div>`;
}

function figuresOf({ totals, reads_ms: reads }: LabReport): string {
  const all = [
    ...Object.entries(totals).map(([name, value]) => [name.replaceAll('_', ' '), figure(value)] as const),
    ...(['p50', 'p99', 'max'] as const).map(
      (name) => [`reads, ${name}`, `${figure(reads[name])} ms`] as const,
    ),
  ];
  return all.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${value}</dd></div>`).join('');
}

function faultTable({ faults, passed_over: passedOver }: LabReport): string {
  const rows = faults
    .slice(0, MAX_FAULTS)
    .map(
      ({ from_ms: from, to_ms: to, target, kind, what }) =>
        `<tr><td class="number">${clock(from)}</td><td class="number">${figure(Math.round((to - from) / 100) / 10)} s</td><td>${escapeHtml(target)}</td><td>${escapeHtml(kind)}: ${escapeHtml(what)}</td></tr>`,
    );
  const more =
    faults.length > MAX_FAULTS
      ? `<p class="soft">And ${figure(faults.length - MAX_FAULTS)} more, in the JSON file.</p>`
      : '';
  const passed = Object.entries(passedOver).map(([name, times]) => `${name} ${figure(times)} times`);
  const over =
    passed.length === 0 ? '' : `<p class="soft">No target was free for ${escapeHtml(passed.join(', '))}.</p>`;
  return `<div class="wide"><table><thead><tr><th class="number">At</th><th class="number">For</th><th>Target</th><th>Fault</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>
${more}${over}`;
}
