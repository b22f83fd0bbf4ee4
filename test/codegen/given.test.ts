import { WALLETS } from '../../codegen/model/rest/service.ts';
import { describe, expect, it } from 'vitest';
import { readLedger } from '../../codegen/model/ledger.ts';
import type { Method } from '../../codegen/model/method.ts';
import { resolve, type Schema } from '../../codegen/model/schema.ts';
import { readRest } from '../../codegen/model/rest/rest.ts';
import { checkParams } from '../../generated/ledger/params.ts';
import { specSources, valueAt } from './spec.ts';

const sources = specSources();
const { methods, subscriptions, schemas } = readLedger(sources);
const given = methods.filter(({ origin }) => origin === 'given');

/**
 * The methods of interface.md section 4.1 with their params, written down from there: type, ! where it says required, and
 * the members of the config.
 */
const INTERFACE = `
getFeeForMessage string! {commitment minContextSlot}
getMinimumBalanceForRentExemption integer {commitment}
getRecentPrioritizationFees array
getSupply {commitment excludeNonCirculatingAccountsList}
getLargestAccounts {commitment filter}
getInflationGovernor {commitment}
getInflationRate
getInflationReward array {commitment epoch minContextSlot}
getStakeMinimumDelegation {commitment}
isBlockhashValid string! {commitment minContextSlot}
getLatestBlockhash {commitment minContextSlot}
getGenesisHash
getHighestSnapshotSlot
getFirstAvailableBlock
getMaxRetransmitSlot
getMaxShredInsertSlot
minimumLedgerSlot
requestAirdrop string! integer! {commitment}
getTransaction string! {commitment encoding maxSupportedTransactionVersion}
getTransactionCount {commitment minContextSlot}
getSignatureStatuses array! {searchTransactionHistory}
getSignaturesForAddress string! {before commitment limit minContextSlot until}
sendTransaction string! {encoding maxRetries minContextSlot preflightCommitment skipPreflight}
simulateTransaction string! {accounts commitment encoding innerInstructions minContextSlot replaceRecentBlockhash sigVerify}
getClusterNodes
getSlot {commitment minContextSlot}
getSlotLeader {commitment minContextSlot}
getSlotLeaders integer! integer!
getVersion
getIdentity
getEpochInfo {commitment minContextSlot}
getEpochSchedule
getLeaderSchedule integer {commitment identity}
getVoteAccounts {commitment delinquentSlotDistance keepUnstakedDelinquents votePubkey}
getRecentPerformanceSamples integer
getBlock integer! {commitment encoding maxSupportedTransactionVersion rewards transactionDetails}
getBlockTime integer!
getBlockCommitment integer!
getBlockHeight {commitment minContextSlot}
getBlockProduction {commitment identity range}
getBlocks integer! integer {commitment}
getBlocksWithLimit integer! integer! {commitment}
getAccountInfo string! {commitment dataSlice encoding}
getBalance string! {commitment minContextSlot}
getMultipleAccounts array! {commitment dataSlice encoding minContextSlot}
getProgramAccounts string! {commitment dataSlice encoding filters minContextSlot withContext}
`;

/** The items that spec/README.md lists as chosen by us, beyond the interface. */
const CHOSEN = `
getMinimumBalanceForRentExemption integer! {commitment}
getLargestAccounts {commitment filter sortResults}
getInflationReward array! {commitment epoch minContextSlot}
getStakeMinimumDelegation {commitment minContextSlot}
requestAirdrop string! integer! {commitment recentBlockhash}
getBlocks integer! integer {commitment minContextSlot}
getLeaderSchedule integer {commitment identity keyByVoteAccount}
getSignatureStatuses array! {commitment minContextSlot searchTransactionHistory}
getTransaction string! {commitment encoding maxSupportedTransactionVersion minContextSlot}
getBlocksWithLimit integer! integer! {commitment minContextSlot}
getAccountInfo string! {commitment dataSlice encoding minContextSlot}
getProgramAccounts string! {commitment dataSlice encoding filters minContextSlot sortResults withContext}
`;

const lines = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', line]),
  );

const signature = ({ name, params }: Method): string =>
  [name, ...params.map(({ schema, required }) => shape(schema) + (required ? '!' : ''))].join(' ');

/** In a union the config may stand in the place of an integer, and an encoding in the place of the config. */
const shape = (written: Schema): string => {
  const schema = resolve(written, schemas);
  if (schema.anyOf) {
    const branches = schema.anyOf.map(shape);
    return branches.includes('integer') ? 'integer' : (branches.at(-1) ?? '');
  }
  return schema.type === 'object'
    ? `{${Object.keys(schema.properties ?? {})
        .sort()
        .join(' ')}}`
    : String(schema.type);
};

describe('the methods given', () => {
  it('are those of the interface', () => {
    expect(given.map(({ name }) => name).sort()).toEqual([...lines(INTERFACE).keys()].sort());
  });

  it.each(given.map((method) => [method.name, method] as const))(
    '%s has the params of the interface',
    (name, method) => {
      expect(signature(method)).toBe(lines(CHOSEN).get(name) ?? lines(INTERFACE).get(name));
    },
  );
});

const METHOD = 'ledger/methods';
const SCHEMA = 'ledger/schemas';
const config = (method: string, member: string): string =>
  `${METHOD}/${method}#/params/1/schema/properties/${member}`;

/** The subscriptions of interface.md sections 4.2 and 6; it shows the params of the first only. */
const SUBSCRIPTIONS = ['accountSubscribe', 'signatureSubscribe', 'slotSubscribe'];

it('the subscriptions given are those of the interface', () => {
  const named = subscriptions.filter(({ origin }) => origin === 'given').map(({ name }) => name);
  expect(named.sort()).toEqual(SUBSCRIPTIONS);
  expect(subscriptions.find(({ name }) => name === 'slotSubscribe')?.params).toEqual([]);
});

/** Numbers, values and defaults of interface.md sections 4.1, 7 and 8, written down from there. */
const VALUES: readonly (readonly [place: string, value: unknown])[] = [
  [`${METHOD}/getRecentPrioritizationFees.yaml#/params/0/schema/maxItems`, 128],
  [`${METHOD}/getSignatureStatuses.yaml#/params/0/schema/maxItems`, 256],
  [config('getSignaturesForAddress.yaml', 'limit/minimum'), 1],
  [config('getSignaturesForAddress.yaml', 'limit/maximum'), 1000],
  [config('getSignaturesForAddress.yaml', 'limit/default'), 1000],
  [`${METHOD}/getSlotLeaders.yaml#/params/1/schema/minimum`, 1],
  [`${METHOD}/getSlotLeaders.yaml#/params/1/schema/maximum`, 5000],
  [`${METHOD}/getRecentPerformanceSamples.yaml#/params/0/schema/maximum`, 720],
  [`${METHOD}/getRecentPerformanceSamples.yaml#/params/0/schema/default`, 720],
  [
    `${METHOD}/getBlocks.yaml#/x-span`,
    { from: 'startSlot', to: 'endSlot', maximum: 500_000, error: 'slotRangeTooLarge' },
  ],
  [`${METHOD}/getBlocksWithLimit.yaml#/params/1/schema/maximum`, 500_000],
  [`${METHOD}/getMultipleAccounts.yaml#/params/0/schema/maxItems`, 100],
  [`${METHOD}/getLargestAccounts.yaml#/result/schema/maxItems`, 20],
  [
    `${METHOD}/getLargestAccounts.yaml#/params/0/schema/properties/filter/enum`,
    ['circulating', 'nonCirculating'],
  ],
  [`${METHOD}/requestAirdrop.yaml#/x-refused-in`, { mainnet: 'airdropUnavailable' }],
  [`${METHOD}/sendTransaction.yaml#/x-guard`, true],
  [config('sendTransaction.yaml', 'skipPreflight/default'), false],
  [config('sendTransaction.yaml', 'preflightCommitment/default'), 'finalized'],
  [
    `${METHOD}/simulateTransaction.yaml#/params/1/schema/not/required`,
    ['sigVerify', 'replaceRecentBlockhash'],
  ],
  [`${METHOD}/simulateTransaction.yaml#/params/1/schema/x-errors/not`, 'sigVerifyConflict'],
  [`${METHOD}/simulateTransaction.yaml#/result/x-context`, true],
  [`${SCHEMA}/WireEncoding.yaml#/default`, 'base58'],
  [`${SCHEMA}/Commitment.yaml#/enum`, ['processed', 'confirmed', 'finalized']],
  [`${SCHEMA}/HistoryCommitment.yaml#/enum`, ['confirmed', 'finalized']],
  [`${SCHEMA}/HistoryCommitment.yaml#/x-lenient/processed`, 'commitmentNotSupported'],
  [`${SCHEMA}/TransactionDetails.yaml#/enum`, ['full', 'signatures', 'none', 'accounts']],
  // binary is a node's older name, chosen by us.
  [`${SCHEMA}/AccountEncoding.yaml#/enum`, ['binary', 'base58', 'base64', 'jsonParsed', 'base64+zstd']],
  [`${SCHEMA}/TransactionEncoding.yaml#/enum`, ['binary', 'base64', 'base58', 'json', 'jsonParsed']],
  ['plans.yaml#/wallet_batch/maximum', 10_000],
  ['plans.yaml#/wallet_create_limit/requests', 1000],
  ['plans.yaml#/wallet_create_limit/window_seconds', 60],
  ['plans.yaml#/volume_threshold_operations', 1_000_000],
  ['plans.yaml#/wallet_prices/wallet_creation/standard', 1000],
  ['plans.yaml#/wallet_prices/wallet_creation/volume', 400],
  ['plans.yaml#/wallet_prices/hd_child_derivation/standard', 500],
  ['plans.yaml#/wallet_prices/hd_child_derivation/volume', 200],
  ['plans.yaml#/wallet_prices/managed_signing/standard', 100],
  ['plans.yaml#/wallet_prices/managed_signing/volume', 40],
  ['plans.yaml#/wallet_prices/hd_master_creation/standard', 0],
  ['plans.yaml#/billing/invoice_threshold/micro_usd', 1_000_000_000],
  ['plans.yaml#/service_levels/batch_wallets_per_second', 12_000],
  ['plans.yaml#/service_levels/hd_derivations_per_second', 40_000],
  [
    'plans.yaml#/service_levels/latency_ms',
    { batch_of_10000: 4000, hd_create: 200, fetch: 60, sign: 120, delete: 90 },
  ],
  ['plans.yaml#/service_levels/availability_percent_per_month', 99.95],
  ['wallets/schemas/Custody.yaml#/enum', ['client', 'managed']],
  ['wallets/schemas/CreateWalletRequest.yaml#/properties/custody/default', 'client'],
  ['wallets/schemas/CreateWalletBatchRequest.yaml#/properties/custody/default', 'client'],
  [
    'wallets/schemas/CreateWalletBatchRequest.yaml#/properties/count/x-limit',
    { maximum: 'plans.yaml#/wallet_batch/maximum' },
  ],
  ['wallets/schemas/MnemonicWords.yaml#/enum', [12, 24]],
  ['wallets/schemas/IndexRange.yaml#/properties/start/minimum', 0],
  ['wallets/schemas/IndexRange.yaml#/properties/start/maximum', 2 ** 31 - 1],
  ['wallets/openapi.yaml#/components/securitySchemes/bearer/scheme', 'bearer'],
  ['wallets/operations/destroyWallet.yaml#/parameters', ['X-Two-Factor-Code']],
  ['wallets/operations/createWallet.yaml#/x-price', ['wallet_creation']],
  ['wallets/operations/createWalletBatch.yaml#/x-price', ['wallet_creation']],
  ['wallets/operations/createHdWallets.yaml#/x-price', ['hd_master_creation', 'hd_child_derivation']],
  ['wallets/operations/signWithWallet.yaml#/x-price', ['managed_signing']],
  ['errors.yaml#/walletRateLimited/http', 429],
  ['wallets/openapi.yaml#/x-headers/429', ['Retry-After']],
  ['errors.yaml#/balanceInsufficient/http', 402],
];

/** The six endpoints of interface.md section 4.4, in its order. */
const ENDPOINTS = `
createWallet POST /v1/wallets
createWalletBatch POST /v1/wallets/batch
createHdWallets POST /v1/wallets/hd
getWallet GET /v1/wallets/{id}
signWithWallet POST /v1/wallets/{id}/sign
destroyWallet DELETE /v1/wallets/{id}
`;

it('the wallet endpoints are those of the interface', () => {
  const shown = readRest(sources, WALLETS)
    .operations.filter(({ origin }) => origin === 'given')
    .map(({ id, method, path }) => [id, method.toUpperCase(), path].join(' '));
  expect(shown.sort()).toEqual(ENDPOINTS.trim().split('\n').sort());
});

it.each(['createWallet', 'createWalletBatch', 'createHdWallets'])(
  '%s counts for the create limit',
  (name) => {
    expect(valueAt(`wallets/operations/${name}.yaml#/x-rate`, sources)).toBe('wallet_create_limit');
  },
);

it.each(VALUES)('%s is as the interface says: %o', (place, value) => {
  expect(valueAt(place, sources)).toEqual(value);
});

it.each([
  ['getBlock', [5, { commitment: 'processed' }]],
  ['getBlocks', [5, 6, { commitment: 'processed' }]],
  ['getBlocksWithLimit', [5, 6, { commitment: 'processed' }]],
  ['getTransaction', ['1'.repeat(64), { commitment: 'processed' }]],
] as const)('%s takes no commitment processed', (method, params) => {
  expect(checkParams(method, params)?.error).toBe('commitmentNotSupported');
});
