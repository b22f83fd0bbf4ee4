/** The style of the page. Its hash stands in the content security policy. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d8dee4; --band: #f6f8fa; --held: #1a7f37; --broken: #cf222e; --node: #0969da; --gateway: #8250df; --store: #bc4c00; --signer: #bf3989; --receiver: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #30363d; --band: #161b22; --held: #3fb950; --broken: #f85149; --node: #4493f8; --gateway: #ab7df8; --store: #f0883e; --signer: #db61a2; --receiver: #d4a72c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.verdict { border-left: .4rem solid var(--held); background: var(--band); padding: .75rem 1rem; margin: 1rem 0; font-size: 1.1rem; }
.verdict.broken { border-color: var(--broken); }
.held { color: var(--held); font-weight: 600; }
.broken { color: var(--broken); font-weight: 600; }
.verdict.broken { color: inherit; font-weight: inherit; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem; margin: 0; padding: 0; }
.figures div { background: var(--band); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .75rem; }
.figures dt { color: var(--soft); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; font-size: .9rem; }
th, td.held, td.broken, td.soft { overflow-wrap: normal; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.lane { display: grid; grid-template-columns: 14rem 1fr; gap: .5rem; align-items: center; margin: .2rem 0; }
.lane svg { width: 100%; height: 1.2rem; background: var(--band); display: block; }
.lane.tall svg { height: 5rem; }
.lane.flow svg { height: 2.5rem; }
.part-node { fill: var(--node); } .part-gateway { fill: var(--gateway); } .part-postgres, .part-redis { fill: var(--store); } .part-signer { fill: var(--signer); } .part-receiver { fill: var(--receiver); } .part-break { fill: var(--broken); }
.area { fill: var(--node); opacity: .35; } .curve { fill: none; stroke: var(--store); stroke-width: 2; vector-effect: non-scaling-stroke; }
code { font: .85rem/1.4 ui-monospace, monospace; }
@media (max-width: 40rem) { .lane { grid-template-columns: 1fr; gap: 0; } }
`;
