import { CONFIG_INTEGERS, CONFIG_SETTINGS, type ConfigSetting } from '../../generated/config.ts';

/** What `keyslot help` prints. The settings come from spec/config.yaml. */
export function usage(): string {
  const settings = CONFIG_SETTINGS.filter(({ env, cli }) => env !== undefined || cli !== undefined);
  return `keyslot: a Solana provider of your own

  keyslot serve [options]       the gateway; without a configured node with an embedded ledger
    --config FILE               settings as YAML or JSON (an operator's configuration: no development account)
    --json                      print where it serves as one line of JSON
  keyslot localnet [options]    the embedded ledger alone
    --rpc-port N                port (8899; 0: any free one); WebSocket is there and on the next one
    --host ADDRESS              address to listen on (127.0.0.1)
    --slot-ms N                 length of a slot (${CONFIG_INTEGERS['localnet.slot_ms'].default})
    --finality-slots N          how many slots later a confirmed block is finalized (${CONFIG_INTEGERS['localnet.finality_slots'].default})
    --lamports-per-byte N       rent: what a byte must hold (${CONFIG_INTEGERS['localnet.lamports_per_byte'].default})
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
  keyslot plans list            what the plans allow each key of an account
  keyslot plans set NAME        a new plan, or other figures for one; they hold from the next request on
    --requests-per-second N     weight of calls per second, on average
    --burst N                   weight of calls at once
  keyslot plans remove NAME     takes back what was set
  keyslot plans assign ACCOUNT PLAN
                                gives an account a plan
  keyslot nodes                 the ledger nodes: their versions, how long a slot takes, and what they answer that is new
  keyslot usage                 what was called, until now
    --account NAME, --key ID    by one account, with one key
    --since WHEN                such as 30m, 24h, 7d or 2025-01-31T12:00Z (24h)
    --by WHAT                   key, network, method, minute, hour or day (key)
  keyslot tokens create         a new access token of the wallet API; it is printed this once
    --scope SCOPE               what for: wallets:create, wallets:read, wallets:sign or wallets:destroy; may be repeated
    --name TEXT, --account NAME as of keys
    --expires DURATION          until when it works, such as 12h or 90d (for ever)
  keyslot tokens list           all access tokens, without what would open anything
    --account NAME              those of one account
  keyslot tokens revoke ID      refuses a token from now on, for good
  keyslot balance ACCOUNT       what an account may spend, owes and was charged
  keyslot credit ACCOUNT USD    adds what was paid, such as 25 or 0.50; -25 takes it back
    --note TEXT                 kept in the books
  keyslot billing ACCOUNT       how an account pays
    --invoiced --credit-limit USD
                                afterwards, down to so much below 0
    --prepaid                   from its balance
  keyslot wallet-limit ACCOUNT  how often it may call the wallet create endpoints
    --per-minute N, --default   so often, or as the specification says
  keyslot wallet-use-limit ACCOUNT
                                how often it may fetch, sign with and destroy wallets
    --per-second N, --default   so often, or as its plan says
  keyslot two-factor enrol ACCOUNT
                                a second factor, without which no wallet is destroyed; it is printed this once
  keyslot two-factor remove ACCOUNT
                                takes it away
  keyslot two-factor unlock ACCOUNT
                                lifts what wrong codes have locked
  keyslot audit verify          whether the audit log is as it was written; the exit code is 1 if it is not
    --account NAME              of one account
    --public-key HEX            the key that heads were signed with (the running server's); may be repeated
    --json                      (keys to signer) print the result as one line of JSON
    --config FILE, --data-dir   (keys to signer) which server; as given to serve
  keyslot signer adopt          makes the signer of the data directory the store's, as it is; see docs/security.md. No server may run
  keyslot signer rotate-master  seals the key of every managed wallet under a new master key, while the server serves; a run
                                that was broken off is continued by the next
  keyslot hsm check             whether the configured key backend does what is asked of one; makes keys and destroys them
    --config FILE               which backend; as given to serve
    --json                      print the report as JSON
  keyslot mock [options]        mocks of the ledger and of the wallet service: answer from the examples of the specification
    --port N                    port of the ledger (8899; 0: any free one)
    --wallets-port N            port of the wallet service (the next one); it is there in a checkout
    --grpc-port N               port of the stream service (50051)
    --host ADDRESS              address to listen on (127.0.0.1)
    --json                      print where it serves as one line of JSON
  keyslot contract --url URL    whether a server, a node included, keeps to the specification (in a checkout)
    --apikey KEY                sent as the query parameter apikey
    --ws                        subscriptions too, over WebSocket at the same address
    --ws-url URL                the same at this address: a validator's is on the next port
    --grpc URL                  the stream service too, at this address (grpc_url); without --url it alone
    --token TOKEN               the wallet service too; without --apikey it alone
    --totp SECRET               the second factor of the token's account (base-32): wallets are destroyed too
                                all three also as KEYSLOT_CONTRACT_APIKEY, _TOKEN and _TOTP, which nobody can list
    --allow-writes              ask for airdrops and send transactions too, make wallets with the token's money
    --rate N                    at most N calls a second (as fast as the server takes them)
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
