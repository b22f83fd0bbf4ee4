import type { AdoptionResult } from '../../operate/admin/adopt-without-server.ts';
import type { RotationResult } from '../../operate/admin/master-rotation.ts';
import { type Columns, tableOf } from '../text-table.ts';
import { type Action, type Given, local } from './action.ts';

/** The commands about ledger nodes and the signer. */
export const SERVER_ACTIONS = {
  nodes: () => local({ kind: 'nodes' }, describeNodes),
  'signer rotate-master': () => local({ kind: 'signer.rotate-master' }, describeRotation),
  'signer adopt': () => local({ kind: 'signer.adopt' }, describeAdoption),
} satisfies Record<string, (given: Given) => Action>;

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
  readonly consensus: string;
  readonly alpenglow_from: number | null;
  readonly nodes: readonly Node[];
  readonly beyond_specification: readonly Finding[];
  readonly unknown_methods: readonly UnknownMethod[];
};

/** The source of the slot length, in words. */
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
  consensus,
  alpenglow_from: from,
  nodes,
  beyond_specification: beyond,
  unknown_methods: unknown,
}: Network): string {
  const pace =
    slot_ms === null
      ? 'the slot length is not known yet'
      : `a slot takes ${Math.round(slot_ms)} ms, ${SOURCES[slot_ms_from ?? ''] ?? ''}`;
  return [
    `${network}: ${pace}; ${describeConsensus(consensus, from)}.\n\n`,
    tableOf(NODE_COLUMNS, nodes),
    ...(beyond.length === 0 ? [] : ['\nNot in the specification:\n\n', tableOf(FINDING_COLUMNS, beyond)]),
    ...(unknown.length === 0
      ? []
      : ['\nUnknown methods that clients called:\n\n', tableOf(METHOD_COLUMNS, unknown)]),
  ].join('');
}

function describeConsensus(consensus: string, from: number | null): string {
  if (consensus === 'alpenglow') return `it has run Alpenglow since slot ${from}`;
  return consensus === 'tower' ? 'it runs Tower BFT' : 'no node reports its consensus';
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

const NODE_COLUMNS: Columns<Node> = {
  NODE: 'name',
  STATE: 'standing',
  '>SLOT': 'slot',
  '>BEHIND': ({ slot, lag_slots: lag }) => (slot === null ? '' : lag),
  VERSION: ({ version }) => version ?? 'unknown',
  'FEATURE SET': 'feature_set',
  '': describeState,
};

const METHOD_COLUMNS: Columns<UnknownMethod> = {
  NAME: 'name',
  '>TIMES': 'count',
  'FIRST SEEN': 'first_seen',
};
const FINDING_COLUMNS: Columns<Finding> = { NODE: 'node', KIND: 'kind', ...METHOD_COLUMNS };

function describeRotation({ wallets, resealed, previous_master_key_file: file }: RotationResult): string {
  const old =
    file === null
      ? 'The old master key was deleted. Destroy the backups that contain it.'
      : `Now remove hsm.soft.previous_master_key_file (${file}) from the settings of every server, restart them, and destroy the file.`;
  return `The keys of ${wallets} wallets are now encrypted under the new master key, ${resealed} of them by this run.\n${old}\n`;
}

function describeAdoption(result: AdoptionResult): string {
  const {
    signer: name,
    destroyed_keys: all,
    destroyed_keys_from_store: added,
    forgotten_signers: gone,
  } = result;
  const lines = [
    `The store now accepts the signer ${name} of this data directory.`,
    `Its record has ${all} destroyed keys, ${added} of them from the store. A destroyed key that is missing from it can sign again.`,
    'It cannot use wallets whose keys are encrypted under another master key or stored in another token.',
    ...(gone.length === 0
      ? []
      : [
          `No longer accepted: ${gone.join(', ')}. A server with one of these signers does not start until its signer is adopted.`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
