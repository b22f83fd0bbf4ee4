import { posix } from 'node:path';
import type { Schema } from '../../model/schema.ts';
import { fileTitle, SUBSCRIPTIONS_FILE } from '../../model/ledger.ts';
import { NOTIFICATION_CONTEXT } from '../../model/subscription.ts';
import { allowedNames } from '../allowed-names.ts';
import type { Problem } from '../../problem.ts';
import { finding, type LedgerDocuments, type Rule } from './rule.ts';

/** References lead to schema files; every schema file is used by a method or subscription; errors are in the catalogue. */
export const checkReferences: Rule = (documents) => [
  ...missingTargets(documents),
  ...unreferenced(documents),
  ...unknownErrors(documents),
  ...unknownSpanParams(documents),
];

const missingTargets = ({ parts, schemas }: LedgerDocuments): readonly Problem[] =>
  parts.flatMap((part) => {
    const { $ref } = part.schema;
    if ($ref === undefined) return [];
    const target = posix.join(posix.dirname(part.file), $ref);
    const known = schemas.get(fileTitle(target))?.file === target;
    return known
      ? []
      : [
          finding(
            'references',
            { ...part, pointer: `${part.pointer}/$ref` },
            `there is no ${target}${allowedNames(
              target,
              [...schemas.values()].map(({ file }) => file),
            )}`,
          ),
        ];
  });

const unreferenced = ({ parts, schemas, methods, subscriptions }: LedgerDocuments): readonly Problem[] => {
  const reached = new Set<string>([
    ...(methods.some(({ method }) => method.result['x-context']) ? ['Context'] : []),
    ...(subscriptions.some(({ subscription }) => subscription.notification['x-context'])
      ? [NOTIFICATION_CONTEXT]
      : []),
  ]);
  const queue = parts
    .filter(({ position }) => position !== 'schema')
    .flatMap(({ schema }) => titleOf(schema));
  const edges = Map.groupBy(
    parts.filter(({ position }) => position === 'schema'),
    ({ file }) => fileTitle(file),
  );
  for (const title of [...reached, ...queue]) reachFrom(title, edges, reached);
  return [...schemas]
    .filter(([title]) => !reached.has(title))
    .map(([, { file }]) => finding('references', { file, pointer: '' }, 'nothing uses this schema', false));
};

const reachFrom = (
  title: string,
  edges: ReadonlyMap<string, readonly { readonly schema: Schema }[]>,
  reached: Set<string>,
): void => {
  const queue = [title];
  const seen = new Set<string>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    reached.add(next);
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(
      ...(edges.get(next) ?? [])
        .flatMap(({ schema }) => titleOf(schema))
        .filter((target) => !reached.has(target)),
    );
  }
};

const titleOf = ({ $ref }: Schema): readonly string[] => ($ref === undefined ? [] : [fileTitle($ref)]);

const unknownErrors = ({
  parts,
  methods,
  calls,
  common,
  errorNames,
}: LedgerDocuments): readonly Problem[] => {
  const uses = [
    ...parts.flatMap(({ file, pointer, schema }) => [
      ...Object.entries(schema['x-errors'] ?? {}).flatMap(([keyword, names]) =>
        (typeof names === 'string' ? [names] : names).map((name) => ({
          file,
          pointer: `${pointer}/x-errors/${keyword}`,
          name,
        })),
      ),
      ...Object.entries(schema['x-lenient'] ?? {}).map(([value, name]) => ({
        file,
        pointer: `${pointer}/x-lenient/${value}`,
        name,
      })),
    ]),
    ...common.errors.map((name, index) => ({ file: SUBSCRIPTIONS_FILE, pointer: `/errors/${index}`, name })),
    ...methods.flatMap(({ file, method }) => [
      ...(method['x-span'] ? [{ file, pointer: '/x-span/error', name: method['x-span'].error }] : []),
      ...Object.entries(method['x-refused-in'] ?? {}).map(([network, name]) => ({
        file,
        pointer: `/x-refused-in/${network}`,
        name,
      })),
    ]),
    ...calls.flatMap(({ file, pointer, call }) => [
      ...(call.errors ?? []).map((name, index) => ({ file, pointer: `${pointer}/errors/${index}`, name })),
      ...(call.examples ?? []).flatMap((example, index) => [
        ...(example.error === undefined
          ? []
          : [{ file, pointer: `${pointer}/examples/${index}/error`, name: example.error }]),
        ...(example['x-live']?.error === undefined
          ? []
          : [{ file, pointer: `${pointer}/examples/${index}/x-live/error`, name: example['x-live'].error }]),
      ]),
    ]),
  ];
  return uses
    .filter(({ name }) => !errorNames.has(name))
    .map((use) =>
      finding('references', use, `errors.yaml has no ${use.name}${allowedNames(use.name, errorNames)}`),
    );
};

const unknownSpanParams = ({ methods }: LedgerDocuments): readonly Problem[] =>
  methods.flatMap(({ file, method }) => {
    const span = method['x-span'];
    if (!span) return [];
    const names = (method.params ?? []).map(({ name }) => name);
    return (['from', 'to'] as const)
      .filter((end) => !names.includes(span[end]))
      .map((end) =>
        finding(
          'references',
          { file, pointer: `/x-span/${end}` },
          `no param is called ${span[end]}${allowedNames(span[end], names)}`,
        ),
      );
  });
