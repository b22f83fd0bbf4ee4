import { startGrpcServer } from '../../src/server/grpc/grpc-server.ts';
import { createAdmission } from '../../src/server/access/admission.ts';
import { createMemoryRateLimit } from '../../src/server/access/rate-limit.ts';
import type { BlockTransaction } from '../../src/gateway/streams/block/block.ts';
import { createHub } from '../../src/gateway/streams/hub.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';
import { streamPace } from '../support/stream-pace.ts';

// The stream server of Keyslot before a ledger in memory, whose blocks are already there: what is measured is the way from the
// history to the clients, gate and counts included.

const SLOTS = 100;
const [logBytes = 300, count = 10_000] = process.argv.slice(2).map(Number);

const transactions: readonly BlockTransaction[] = Array.from({ length: count / SLOTS }, (_, index) => ({
  index,
  signature: 's'.repeat(88),
  error: undefined,
  fee: 5000n,
  computeUnits: 150n,
  version: 0,
  config: undefined,
  accounts: [],
  logs: ['x'.repeat(logBytes)],
  raw: Buffer.alloc(200),
}));
const node = createScriptedLedger(1, () => ({ transactions: () => transactions }));
const hub = createHub({
  node,
  lingerMs: 3_600_000,
  pace: streamPace(),
  history: { maxSlots: 1_000, maxBytes: 10 ** 9 },
  generation: () => 0,
  onFailure: () => undefined,
});
const label = 'solana-localnet';
const plan = { name: 'wide', requestsPerSecond: 10 ** 9, burst: 10 ** 9 };
const admission = createAdmission({
  rateLimit: createMemoryRateLimit(),
  planOf: () => plan,
  count: () => undefined,
  countKeys: () => 1,
  fullRateKeys: 10,
  network: label,
  onRefusal: () => undefined,
});
const nobody = (): never => {
  throw new Error('the bench has no tokens');
};
const server = await startGrpcServer({
  host: '127.0.0.1',
  port: 0,
  portSetting: '',
  clock: { nowMs: () => 0 },
  authenticate: () => ({ keyId: 'k1', accountId: 'a1' }),
  callRulesOf: () => undefined,
  networks: [{ label, admission, hub, count: () => undefined }],
  tokens: { find: nobody },
  unread: { maxBytes: 1024 * 1024, maxMessages: 1_000 },
  maxStreamsPerKey: 10_000,
  maxStreamsPerAccount: 10_000,
  viewOf: (accountId) => ({ accountId, walletsAmong: async () => [] }),
  onMessages: () => undefined,
  onOpen: () => undefined,
  onClose: () => undefined,
  onTokenRefused: nobody,
  onError: (error) => console.error(error),
});
process.send?.({ port: server.port });
// The first stream starts the feed; then the blocks come, which every stream replays from the first one on.
await hub.open(undefined);
node.grow(...Array.from({ length: SLOTS }, (_, index) => index + 2));
process.once('disconnect', () => process.exit());
