/** The consensus of the ledger that contract and client suites are tried on; `.ci/run` tries them on one of tower as well, at another pace. */
export const CONSENSUS = process.env.KEYSLOT_TEST_CONSENSUS ?? 'alpenglow';
const SLOT_MS = process.env.KEYSLOT_TEST_SLOT_MS ?? '200';

/** Its settings for `keyslot serve`, and its options for `keyslot localnet`. */
export const LEDGER_ENV = { KEYSLOT_LOCALNET_SLOT_MS: SLOT_MS, KEYSLOT_LOCALNET_CONSENSUS: CONSENSUS };
export const LEDGER_ARGS = ['--slot-ms', SLOT_MS, '--consensus', CONSENSUS];
