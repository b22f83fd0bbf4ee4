import type { CommandSpec } from '../command-spec.ts';

/** The lab. */
export const LAB_COMMANDS = [
  {
    name: 'lab run',
    group: 'Servers',
    summary: 'Let parts of an installation fail under clients, and check it',
    details: [
      'Starts gateways with your settings before scripted nodes, in a scratch directory: your nodes, store, mail and keys are never used. Clients of all protocols check what they are shown. docs/lab.md describes scenarios and invariants.',
      'The store is the embedded one unless --database names a PostgreSQL, in which a database of its own is made and dropped. Addresses with passwords can be given in KEYSLOT_LAB_DATABASE_URL and KEYSLOT_LAB_REDIS_URL, where other users of the machine cannot list them.',
      'Writes lab-report.json, signed by the installation, and lab-report.html. The exit code is 1 when an invariant is broken.',
    ],
    args: [{ name: 'SCENARIO', summary: 'Scenario as YAML or JSON' }],
    options: [
      {
        name: 'config',
        value: 'FILE',
        summary: 'Configuration file of the server, as given to keyslot serve',
        path: 'file',
      },
      {
        name: 'data-dir',
        value: 'DIR',
        summary: 'Data directory with the installation key that signs, in place of KEYSLOT_DATA_DIR',
        fallback: '.keyslot',
        path: 'directory',
      },
      { name: 'database', value: 'URL', summary: 'PostgreSQL for the lab; needed for more than one gateway' },
      { name: 'redis', value: 'URL', summary: 'Redis for the lab' },
      { name: 'minutes', value: 'N', summary: 'How long it takes, in place of duration_s of the scenario' },
      { name: 'seed', value: 'N', summary: 'Repeats the faults of a run, in place of seed of the scenario' },
      { name: 'out', value: 'DIR', summary: 'Where the report is written', fallback: '.', path: 'directory' },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: [
      'keyslot lab run docs/lab/nodes.yaml --config keyslot.yaml --minutes 2',
      'keyslot lab run docs/lab/restarts.yaml --config keyslot.yaml --database postgres://lab@db/lab',
    ],
  },
  {
    name: 'lab verify',
    group: 'Servers',
    summary: 'Verify the signature of a report of the lab',
    details: [
      'Without --public-key or --config, a good signature says only that nobody changed the report since it was signed with the key that is printed.',
    ],
    args: [{ name: 'FILE', summary: 'The report, lab-report.json' }],
    options: [
      {
        name: 'public-key',
        value: 'HEX',
        summary: 'The key that must have signed it: 64 hexadecimal digits',
      },
      {
        name: 'config',
        value: 'FILE',
        summary: 'It must be signed by the installation of this configuration file',
        path: 'file',
      },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: ['keyslot lab verify lab-report.json --config keyslot.yaml'],
  },
] as const satisfies readonly CommandSpec[];
