import { onTestFinished } from 'vitest';
import type { TokenHolder } from '../../../src/account/identity/tokens/authenticate-token.ts';
import type { TokenFinding } from '../../../src/account/identity/tokens/token-ring.ts';
import { createAdmission } from '../../../src/server/access/admission.ts';
import { createAuthenticate, type KeyFinder } from '../../../src/server/access/authenticate.ts';
import { type PlanLimit, createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import type { CallRulesOf } from '../../../src/server/access/with-allowed-methods.ts';
import type { RequestRow } from '../../../src/account/requests/request-store.ts';
import type { CountedCalls, PushedMessages } from '../../../src/server/access/usage-book.ts';
import type { Connections } from '../../../src/server/connections/connections.ts';
import { type GrpcServer, startGrpcServer } from '../../../src/server/grpc/grpc-server.ts';
import type { TlsOptions } from '../../../src/server/tls/tls-files.ts';
import type { ServiceError } from '../../../src/core/service-error.ts';
import { createHub, type HubOptions } from '../../../src/gateway/streams/hub.ts';
import type { LedgerNode } from '../../../src/gateway/streams/ledger-node.ts';
import { collectRequests } from '../../support/collect-requests.ts';
import { streamPace } from '../../support/stream-pace.ts';

export const KEY = 'ks_key_test';
export const TOKEN = 'ks_tok_test';

const WIDE_PLAN: PlanLimit = { name: 'wide', requestsPerSecond: 1_000_000, burst: 10_000_000 };

export type StreamServerOptions = {
  readonly node: LedgerNode;
  readonly hub?: Partial<HubOptions>;
  readonly port?: number;
  readonly plan?: PlanLimit;
  readonly maxStreamsPerKey?: number;
  readonly maxStreamsPerAccount?: number;
  readonly unread?: { readonly maxBytes: number; readonly maxMessages: number };
  readonly findToken?: (presented: string) => TokenFinding;
  readonly tls?: TlsOptions;
  readonly connections?: Connections;
  readonly callRulesOf?: CallRulesOf;
};

export type StreamServer = GrpcServer & {
  readonly url: string;
  readonly counted: readonly CountedCalls[];
  readonly pushed: readonly PushedMessages[];
  readonly errors: readonly ServiceError[];
  /** The log of requests. */
  readonly logged: readonly RequestRow[];
  /** The access tokens that were refused for a topic, and whose they are. */
  readonly refused: readonly { readonly code: string; readonly holder: TokenHolder | undefined }[];
  /** The keys by their text; a test may change them. */
  readonly keys: Map<string, Found>;
  readonly standing: () => { readonly streams: number };
};

type Found = ReturnType<KeyFinder['find']>;

const valid = (keyId: string, accountId: string) => ({ kind: 'valid', keyId, accountId }) as const;

/** The stream server in this process, on a free port, before a ledger of the test's own. It is closed when the test ends. */
export async function startStreamServer(options: StreamServerOptions): Promise<StreamServer> {
  const counted: CountedCalls[] = [];
  const pushed: PushedMessages[] = [];
  const errors: ServiceError[] = [];
  const refused: { code: string; holder: TokenHolder | undefined }[] = [];
  const keys: StreamServer['keys'] = new Map<string, Found>([
    [KEY, valid('k1', 'a1')],
    ['ks_key_other', valid('k2', 'a2')],
    ['ks_key_revoked', { kind: 'revoked', keyId: 'k1', accountId: 'a1' }],
    ['ks_key_expired', { kind: 'expired', keyId: 'k1', accountId: 'a1' }],
    ['ks_key_elsewhere', { ...valid('k3', 'a3'), checkSource: () => 'apiKeyAddressRefused' }],
    ['ks_key_page', { ...valid('k4', 'a4'), checkSource: () => 'apiKeyOriginRefused' }],
  ]);
  const hub = createHub({
    node: options.node,
    lingerMs: 60_000,
    pace: streamPace(),
    history: { maxSlots: 1_000, maxBytes: 10 ** 9 },
    generation: () => 0,
    onFailure: () => undefined,
    ...options.hub,
  });
  const label = 'solana-localnet';
  const { requests, rows: logged } = collectRequests();
  const count = (message: CountedCalls): void => void counted.push(message);
  const admission = createAdmission({
    rateLimit: createMemoryRateLimit(),
    planOf: () => options.plan ?? WIDE_PLAN,
    count,
    requests,
    network: label,
    onRefusal: () => undefined,
    countKeys: () => 1,
    fullRateKeys: 10,
  });
  const clock = { nowMs: () => 0 };
  const findToken = options.findToken ?? ((): TokenFinding => ({ kind: 'unknown' }));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: options.port ?? 0,
    portSetting: 'KEYSLOT_GRPC_PORT',
    clock,
    authenticate: createAuthenticate(
      { find: (presented) => keys.get(presented) ?? { kind: 'unknown' } },
      clock,
      () => undefined,
      undefined,
      requests,
    ),
    callRulesOf: options.callRulesOf ?? (() => undefined),
    requests,
    networks: [
      {
        label,
        admission,
        hub,
        count: ({ keyId }, message, outcome) => count({ keyId, network: label, ...message, outcome }),
      },
    ],
    tokens: { find: findToken },
    onTokenRefused: (_call, { code }, holder) => void refused.push({ code, holder }),
    unread: options.unread ?? { maxBytes: 1024 * 1024, maxMessages: 1_000 },
    maxStreamsPerKey: options.maxStreamsPerKey ?? 1_000,
    maxStreamsPerAccount: options.maxStreamsPerAccount ?? 1_000,
    viewOf: (accountId) => ({
      accountId,
      walletsAmong: async (addresses) =>
        addresses.slice(0, 1).map((address) => ({ walletId: `w_${accountId}`, address })),
    }),
    onMessages: ({ keyId }, network, topic, messages) =>
      void pushed.push({ keyId, network, method: topic, messages }),
    onOpen: () => undefined,
    onClose: () => undefined,
    onError: (error) => void errors.push(error),
    tls: options.tls,
    connections: options.connections,
  });
  const close = async (deadlineMs: number): Promise<void> => {
    hub.close();
    await server.close(deadlineMs);
  };
  onTestFinished(() => close(100));
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    port: server.port,
    url: `${scheme}://127.0.0.1:${server.port}`,
    close,
    counted,
    logged,
    pushed,
    errors,
    keys,
    refused,
    standing: hub.standing,
  };
}
