import { CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';

/** What `keyslot help` prints. The settings come from spec/config.yaml. */
export function usage(): string {
  const settings = CONFIG_SETTINGS.filter(({ env, cli }) => env !== undefined || cli !== undefined);
  return `keyslot: a Solana provider of your own

  keyslot serve [options]       the gateway; without a configured node with an embedded ledger
    --config FILE               settings as YAML or JSON (an operator's configuration: no development account)
    --json                      print where it serves as one line of JSON
  keyslot localnet [options]    the embedded ledger alone
    --rpc-port N                port (8899; 0: any free one)
    --host ADDRESS              address to listen on (127.0.0.1)
    --slot-ms N                 length of a slot (400)
    --history-slots N           slots whose blocks are kept
    --history-transactions N    transactions kept
    --json                      print where it serves as one line of JSON
  keyslot keys create           a new API key; it is printed this once
    --name TEXT                 what it is for (unnamed)
    --account NAME              whose it is (default); an account that is not there is made
    --origin ORIGIN             only requests with this Origin header, such as https://app.example; may be repeated
    --cidr CIDR                 only from this network, such as 10.0.0.0/8; may be repeated
  keyslot keys list             all keys, without what would open anything
    --account NAME              those of one account
  keyslot keys rotate ID        a new key in the place of another one
    --overlap DURATION          how long the old one still works: 0s to 30d (24h)
  keyslot keys revoke ID        refuses a key from now on, for good
    --json                      (keys ...) print the result as one line of JSON
    --config FILE, --data-dir   (keys ...) which server's keys; as given to serve
  keyslot mock [options]        mocks of the ledger and of the wallet service: answer from the examples of the specification
    --port N                    port of the ledger (8899; 0: any free one)
    --wallets-port N            port of the wallet service (the next one); it is there in a checkout
    --host ADDRESS              address to listen on (127.0.0.1)
    --json                      print where it serves as one line of JSON
  keyslot contract --url URL    whether a server, a node included, keeps to the specification (in a checkout)
    --apikey KEY                sent as the query parameter apikey
    --allow-writes              ask for airdrops and send transactions too
    --json                      print the report as JSON
    --junit FILE                write it as JUnit XML too
  keyslot help
  keyslot version

Settings of serve, by environment variable and option:
${settings.map(line).join('\n')}
`;
}

function line({ env = '', cli = '', default: fallback, description, path }: ConfigSetting): string {
  const text = description === '' ? path.join('.') : description;
  const shown =
    fallback === undefined ? '' : ` [${Array.isArray(fallback) ? fallback.join(',') : String(fallback)}]`;
  return `  ${env.padEnd(38)} ${cli.padEnd(16)} ${text}${shown}`;
}
