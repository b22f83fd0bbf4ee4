import { textTable } from './text-table.ts';

type UnknownMethod = { readonly name: string; readonly count: number; readonly first_seen: string };
type Finding = UnknownMethod & { readonly node: string; readonly kind: string };
type Node = {
  readonly name: string;
  readonly version: string | null;
  readonly feature_set: number | null;
  readonly is_ordered: boolean;
  readonly is_reachable: boolean;
  readonly standing: string;
  readonly reasons: readonly string[];
  readonly slot: number | null;
  readonly lag_slots: number;
};
type Network = {
  readonly network: string;
  readonly slot_ms: number | null;
  readonly slot_ms_from: string | null;
  readonly nodes: readonly Node[];
  readonly beyond_specification: readonly Finding[];
  readonly unknown_methods: readonly UnknownMethod[];
};

/** The source of the length of a slot, in words. */
const SOURCES: Readonly<Record<string, string>> = {
  setting: 'as configured',
  notifications: "measured by a node's slot notifications",
  samples: "measured by a node's performance samples",
  slots: "measured by a node's slot at two times",
};

/** The text of `keyslot nodes` for people. `result` is what it prints as JSON. */
export function describeNodes(result: unknown): string {
  const { networks } = result as { readonly networks: readonly Network[] };
  return networks.map(describeNetwork).join('\n');
}

function describeNetwork({
  network,
  slot_ms,
  slot_ms_from,
  nodes,
  beyond_specification: beyond,
  unknown_methods: unknown,
}: Network): string {
  const pace =
    slot_ms === null
      ? 'the length of a slot is not known yet'
      : `a slot takes ${Math.round(slot_ms)} ms, ${SOURCES[slot_ms_from ?? ''] ?? ''}`;
  return [
    `${network}: ${pace}.\n\n`,
    textTable(
      ['NODE', 'STATE', 'SLOT', 'BEHIND', 'VERSION', 'FEATURE SET', ''],
      nodes.map((node) => [
        ...[
          node.name,
          node.standing,
          String(node.slot ?? ''),
          node.slot === null ? '' : String(node.lag_slots),
        ],
        ...[node.version ?? 'unknown', String(node.feature_set ?? ''), describeState(node)],
      ]),
      ['SLOT', 'BEHIND'],
    ),
    ...(beyond.length === 0 ? [] : ['\nNot in the specification:\n\n', describeFindings(beyond)]),
    ...(unknown.length === 0 ? [] : ['\nUnknown methods that clients called:\n\n', describeMethods(unknown)]),
  ].join('');
}

function describeState({ version, is_ordered: isOrdered, is_reachable: isReachable, reasons }: Node): string {
  const isComparable = isOrdered || version === null;
  return [
    ...(isReachable ? [] : ['not reachable']),
    ...reasons,
    ...(isReachable && !isComparable
      ? ['version not comparable: fields of newer versions are passed through unchanged']
      : []),
  ].join('; ');
}

function describeFindings(findings: readonly Finding[]): string {
  return textTable(
    ['NODE', 'KIND', 'NAME', 'TIMES', 'FIRST SEEN'],
    findings.map(({ node, kind, name, count, first_seen: first }) => [
      ...[node, kind, name, String(count), first],
    ]),
    ['TIMES'],
  );
}

function describeMethods(methods: readonly UnknownMethod[]): string {
  return textTable(
    ['NAME', 'TIMES', 'FIRST SEEN'],
    methods.map(({ name, count, first_seen: first }) => [name, String(count), first]),
    ['TIMES'],
  );
}
