import { useQuery } from '@tanstack/react-query';
import type { Usage } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { useScopes } from '../../session/session.tsx';

const HOUR_MS = 3_600_000;
const REFRESH_MS = 15_000;
/** Newest keys and tokens that are looked at for those that expire. */
const NEWEST = 200;

/** The spans that the calls are summed up for. */
export const SPANS = [
  { title: 'Last hour', ms: HOUR_MS },
  { title: 'Last 24 hours', ms: 24 * HOUR_MS },
  { title: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;

/** The calls of a span. */
export type SpanCalls = { readonly title: string } & Readonly<Record<'calls' | 'errors' | 'refused', number>>;

/** Reads what the overview shows, as far as the member may. */
export function useOverview() {
  const hasMoney = useScopes('billing:read');
  const operates = useScopes('operator:read');
  const networks = useQuery({
    queryKey: ['networks'],
    queryFn: ({ signal }) => account.listNetworks({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const usage = useQuery({
    queryKey: ['usage', 'overview'],
    queryFn: ({ signal }) => readSpans(signal),
    refetchInterval: 4 * REFRESH_MS,
  });
  const own = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => account.getAccount({ signal }),
    enabled: hasMoney,
  });
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: NEWEST }, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: NEWEST }, { signal }),
  });
  const requests = useQuery({
    queryKey: ['open-limit-requests'],
    queryFn: ({ signal }) => account.listOpenLimitRequests({}, { signal }),
    enabled: operates,
  });
  const all = [networks, usage, own, keys, tokens, requests];
  return { networks, usage, own, keys, tokens, requests, isReading: all.some(({ isLoading }) => isLoading) };
}

async function readSpans(signal: AbortSignal): Promise<readonly SpanCalls[]> {
  const nowMs = Date.now();
  return await Promise.all(
    SPANS.map(async ({ title, ms }) => {
      const since = new Date(nowMs - ms).toISOString();
      return { title, ...sumOf(await account.getUsage({ by: 'network', since }, { signal })) };
    }),
  );
}

function sumOf({ rows }: Usage) {
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    errors: rows.reduce((sum, { errors }) => sum + errors, 0),
    refused: rows.reduce((sum, { refused }) => sum + refused, 0),
  };
}
