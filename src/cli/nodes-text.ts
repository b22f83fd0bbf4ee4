import { textTable } from './text-table.ts';

type Finding = {
  readonly node: string | null;
  readonly kind: string;
  readonly name: string;
  readonly count: number;
  readonly first_seen: string;
};
type Node = {
  readonly name: string;
  readonly version: string | null;
  readonly feature_set: number | null;
  readonly is_ordered: boolean;
};
type Network = {
  readonly network: string;
  readonly slot_ms: number | null;
  readonly slot_ms_from: string | null;
  readonly nodes: readonly Node[];
  readonly beyond_specification: readonly Finding[];
};

/** Where a pace is known from, in words. */
const SOURCES: Readonly<Record<string, string>> = {
  setting: 'as it is set',
  notifications: 'by the slots that a node announces',
  samples: 'by the performance samples of a node',
  slots: 'by the slots of a node at two times',
};

/** What `keyslot nodes` prints for people. `result` is what it prints as JSON. */
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
}: Network): string {
  const pace =
    slot_ms === null
      ? 'how long a slot takes is not known yet'
      : `a slot takes ${Math.round(slot_ms)} ms, ${SOURCES[slot_ms_from ?? ''] ?? ''}`;
  return [
    `${network}: ${pace}.\n\n`,
    textTable(
      ['NODE', 'VERSION', 'FEATURE SET', ''],
      nodes.map(({ name, version, feature_set: features, is_ordered: isOrdered }) => [
        ...[name, version ?? 'not known', String(features ?? '')],
        isOrdered || version === null
          ? ''
          : 'cannot be ordered: what newer versions have is passed on unchanged',
      ]),
    ),
    ...(beyond.length === 0 ? [] : ['\nWhat the specification does not know:\n\n', describeFindings(beyond)]),
  ].join('');
}

function describeFindings(findings: readonly Finding[]): string {
  return textTable(
    ['NODE', 'KIND', 'NAME', 'TIMES', 'FIRST SEEN'],
    findings.map(({ node, kind, name, count, first_seen: first }) => [
      ...[node ?? 'clients', kind, name, String(count), first],
    ]),
    ['TIMES'],
  );
}
