import type { Config } from '../../generated/config.ts';
import type { Network } from './start-network.ts';

type Reconfigured = Pick<Network, 'label' | 'reconfigure'>;

/** The settings under `upstream` that take effect at once. */
const LIVE: ReadonlySet<string> = new Set(['max_lag_ms', 'patience_ms', 'hedge_percent', 'send_to']);

/**
 * Creates the function that applies another configuration to a running server: the nodes of its networks, their genesis hashes,
 * and how a node is chosen.
 *
 * @returns a function that returns the paths of the other settings that differ from those at the start: they take effect with
 *   the next start. No value is shown.
 */
export function createReconfigure(
  started: Config,
  networks: readonly Reconfigured[],
): (next: Config) => readonly string[] {
  return (next) => {
    for (const network of next.networks) {
      const label = `${network.name}-${network.environment}`;
      const isServedByNodes = network.upstreams.length > 0;
      if (isServedByNodes)
        networks.find((each) => each.label === label)?.reconfigure?.(network, next.upstream);
    }
    return differences(fixedPart(started), fixedPart(next), '');
  };
}

/** Settings that cannot change while the server runs; of networks their names, and whether nodes serve them. */
function fixedPart({ networks, upstream, ...rest }: Config): unknown {
  const fixed = Object.entries(upstream).filter(([name]) => !LIVE.has(name));
  return {
    ...rest,
    upstream: Object.fromEntries(fixed),
    networks: networks.map(({ name, environment, upstreams }) => {
      return { name, environment, upstreams: upstreams.length > 0 };
    }),
  };
}

function differences(before: unknown, after: unknown, path: string): readonly string[] {
  if (!isMap(before) || !isMap(after)) return Object.is(before, after) ? [] : [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
