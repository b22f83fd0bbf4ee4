import type { Config } from '../../../../generated/config.ts';
import { nodeName } from '../../../core/config/node-address.ts';
import { orderOf, readSaidVersion } from '../../../gateway/nodes/network/node-version.ts';
import type { Check, Finding, ServerStatus } from '../finding.ts';

const DEADLINE_MS = 5_000;
/** Earlier nodes find the next leaders by the clock of Tower BFT: a failed leader costs 32 s instead of 0.5 s (anza-xyz/agave#12630). */
const SENDS_SINCE = '4.3';
const REMEDY =
  'check the node and the path to it (firewall, its own access key); keyslot nodes shows all nodes';

type Node = Config['networks'][number]['upstreams'][number];
type ServedNetwork = ServerStatus['networks'][number];
/** A node and its fault; `isSlowSender`: transactions sent to it are late under Alpenglow. */
type Examined = {
  readonly name: string;
  readonly fault: string | undefined;
  /** A remark that is not a fault: an embedded ledger is paused. */
  readonly note?: string;
  readonly isSlowSender: boolean;
};

/**
 * Checks that ledger nodes answer, as the running server knows it, or by a call to each. A network without a node that answers is wrong;
 * a silent node among others is a warning, and so is one that answers but has no new slots.
 */
export const checkNodes: Check = async ({ config: { networks }, status }) => {
  if (status !== undefined) return status.networks.flatMap(findServed);
  const findings: Finding[] = [];
  for (const { name, environment, upstreams } of networks) {
    const part = `network ${name}-${environment}`;
    if (upstreams.length === 0) findings.push({ part, state: 'ok', detail: 'the embedded ledger' });
    else findings.push(...describe(part, await Promise.all(upstreams.map(ask))));
  }
  return findings;
};

function findServed({ name, environment, upstream, consensus, nodes }: ServedNetwork): readonly Finding[] {
  const part = `network ${name}-${environment}`;
  if (upstream !== 'ready') return [{ part, state: 'wrong', detail: upstream, remedy: REMEDY }];
  const examined = nodes.map(
    ({
      name,
      version,
      is_ordered,
      is_reachable: isReachable,
      is_stale: isStale,
      standing,
      reasons,
      roles,
    }) => {
      const isSound = isReachable && standing === 'healthy' && !isStale;
      const order = is_ordered ? readSaidVersion({ 'solana-core': version })?.order : undefined;
      const isSlowSender = consensus !== 'tower' && sendsLate(roles, order);
      const words = [...(isReachable ? [] : ['does not answer']), ...reasons];
      const said = words.join('; ');
      return isSound
        ? { name, fault: undefined, note: said, isSlowSender }
        : { name, fault: said || standing, isSlowSender };
    },
  );
  return describe(part, examined, 'a node answers');
}

/** `answered`: the detail even if every node has a fault. */
function describe(part: string, nodes: readonly Examined[], answered?: string): readonly Finding[] {
  const sound = nodes.flatMap(({ name, fault, note = '' }) =>
    fault === undefined ? [note === '' ? name : `${name} (${note})`] : [],
  );
  const detail =
    sound.length === 0 ? answered : `${sound.join(', ')} ${sound.length === 1 ? 'answers' : 'answer'}`;
  const state = detail === undefined ? 'wrong' : 'warning';
  const faulty = nodes.flatMap(({ name, fault }): readonly Finding[] =>
    fault === undefined ? [] : [{ part, state, detail: `${name}: ${fault}`, remedy: REMEDY }],
  );
  const slow = nodes.flatMap(({ name, isSlowSender }): readonly Finding[] =>
    isSlowSender
      ? [
          {
            part,
            state: 'warning',
            detail: `${name} is older than ${SENDS_SINCE}: under Alpenglow, transactions sent to it wait 32 s for a leader that fails`,
            remedy: `update it, or remove "send" from its roles`,
          },
        ]
      : [],
  );
  return [...(detail === undefined ? [] : [{ part, state: 'ok', detail } as const]), ...faulty, ...slow];
}

function sendsLate(roles: readonly string[], order: number | undefined): boolean {
  return roles.includes('send') && order !== undefined && order < orderOf(SENDS_SINCE);
}

/** The address of a node may hold its access key, and is not shown. */
async function ask(node: Node, index: number): Promise<Examined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'keyslot', method: 'getVersion' });
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let isSlowSender = false;
  const fault = await fetch(node.url, { method: 'POST', body, headers, signal })
    .then(
      async (answer) => {
        const { result } = (await answer.json()) as { readonly result?: unknown };
        isSlowSender = sendsLate(node.roles, readSaidVersion(result)?.order);
        return result === undefined ? `HTTP ${answer.status}, without a version` : undefined;
      },
      (error: Error) => codeOf(error),
    )
    .catch(() => 'the answer is not JSON');
  return { name: nodeName(node, index), fault, isSlowSender };
}

function codeOf({ name, cause }: Error): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
  return code === 'TimeoutError' ? `no answer within ${DEADLINE_MS / 1_000} s` : code;
}
