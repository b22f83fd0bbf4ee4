import { isCount } from '../network/pace.ts';

/** A node's answer to getAgGenesisCert; `unknown`: none yet, or the node does not know the method. `block` has the slot and the id. */
export type SaidConsensus =
  | { readonly kind: 'unknown' | 'tower' }
  | { readonly kind: 'alpenglow'; readonly slot: number; readonly block: string };

/** The consensus of a network. `unknown` is handled as `tower`. `slot`: that of the last block before Alpenglow. */
export type Consensus = { readonly kind: 'unknown' | 'tower' | 'alpenglow'; readonly slot: number | null };

const UNKNOWN: SaidConsensus = { kind: 'unknown' };
const ID_BYTES = 32;

/** Reads a result of getAgGenesisCert: null is Tower BFT, a certificate is Alpenglow, anything else is unknown. */
export function readConsensus(result: unknown): SaidConsensus {
  if (result === null) return { kind: 'tower' };
  if (typeof result !== 'object') return UNKNOWN;
  const { block } = result as {
    readonly block?: { readonly slot?: unknown; readonly blockId?: unknown } | null;
  };
  const { slot, blockId } = block ?? {};
  if (!isCount(slot) || !Array.isArray(blockId) || blockId.length !== ID_BYTES) return UNKNOWN;
  return { kind: 'alpenglow', slot, block: `${slot}:${Buffer.from(blockId).toString('hex')}` };
}

/** Returns the consensus of a network: the certificate that most nodes have decides, and the first node's in a tie. */
function consensusOf(said: readonly SaidConsensus[]): SaidConsensus {
  const certified = said.flatMap((each) => (each.kind === 'alpenglow' ? [each] : []));
  const [first, ...others] = Map.groupBy(certified, ({ block }) => block).values();
  if (first === undefined) return said.find(({ kind }) => kind === 'tower') ?? UNKNOWN;
  const most = others.reduce((best, each) => (each.length > best.length ? each : best), first);
  return most[0] ?? UNKNOWN;
}

/** The certificate of a chain: it never changes, and is kept when the nodes that have it are gone. */
export class KeptCertificate {
  #kept: { readonly genesis: string; readonly said: SaidConsensus } | undefined;

  /** Returns the consensus of the chain with that genesis hash (undefined: not known yet), from its nodes or as kept. */
  consensusOf(genesis: string | undefined, said: readonly SaidConsensus[]): SaidConsensus {
    const current = consensusOf(said);
    if (current.kind === 'alpenglow') {
      if (genesis !== undefined) this.#kept = { genesis, said: current };
      return current;
    }
    const isOfChain = genesis === undefined || this.#kept?.genesis === genesis;
    return (isOfChain ? this.#kept?.said : undefined) ?? current;
  }
}
